// The link of the first screen: a used or old one is replaced, and nothing is asked while it is not shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSignInLink } from '#doors/terminal/sign-in-link.ts'
import { turnOver } from '../../turns/house.ts'

test('a link that no longer works is replaced while the first screen is shown', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let current = 'http://h/login#code=one'
  let away = false
  let shown = true
  const asked: (string | undefined)[] = []
  const link = createSignInLink({
    client: {
      login(known) {
        asked.push(known)
        return away ? Promise.reject(new Error('away')) : Promise.resolve(current)
      },
    },
    first: current,
    shown: () => shown,
    redraw() {},
  })
  t.after(() => link.close())
  const later = async (): Promise<string> => {
    t.mock.timers.tick(5_000)
    await turnOver()
    return link.lines().join('\n')
  }
  assert.match(link.lines().join('\n'), /^sign in {2}http:\/\/h\/login#code=one {2}\(once/)
  assert.match(await later(), /code=one/)
  current = 'http://h/login#code=two'
  assert.match(await later(), /code=two/)
  away = true
  assert.equal(await later(), '', 'what cannot be checked is not shown')
  away = false
  assert.match(await later(), /code=two/)
  const before = asked.length
  shown = false
  await later()
  assert.equal(asked.length, before)
})
