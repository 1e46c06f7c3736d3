// What a new user says about themselves, as the page keeps it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { freshPage, gateway, ok, refusal } from './page.ts'
import { met, saveAboutYou } from '../../../web/store/about-you.ts'
import { setStorageUser } from '../../../web/store/local-storage.ts'

const document = '/api/memory/documents/USER.md'
const about = (lines: string) => ({ content: `# About me\n\n${lines}\n` })

function serve(t: TestContext): void {
  freshPage(t)
  setStorageUser(t.name)
  gateway.on('GET /api/memory', ok({ results: [], next_cursor: null }))
  gateway.on(`PUT ${document}`, ok({}))
  gateway.on('PATCH /api/me', ok({}))
}

/** What was written, in its order. */
const written = () =>
  gateway.asked.filter(({ method }) => method !== 'GET').map(({ method, path, body }) => [`${method} ${path}`, body])

test('a time zone becomes the zone of the user, then goes into memory with the name', async (t) => {
  serve(t)
  await saveAboutYou({ name: ' Ada ', zone: ' Europe/Berlin ' })
  assert.deepEqual(written(), [
    ['PATCH /api/me', { zone: 'Europe/Berlin' }],
    [`PUT ${document}`, about('- Name: Ada\n- Time zone: Europe/Berlin')],
  ])
  assert.equal(met(), true)
})

test('an empty time zone leaves the zone of the user as it is', async (t) => {
  serve(t)
  await saveAboutYou({ name: 'Ada', zone: ' ' })
  assert.deepEqual(written(), [[`PUT ${document}`, about('- Name: Ada')]])
})

test('nothing given writes nothing, and is not asked for again', async (t) => {
  serve(t)
  await saveAboutYou({ name: ' ', zone: '' })
  assert.deepEqual(written(), [])
  assert.equal(met(), true)
})

test('a time zone that is refused goes nowhere, and is asked for again', async (t) => {
  serve(t)
  gateway.on('PATCH /api/me', refusal(400, 'invalid_input', 'there is no such zone'))
  await assert.rejects(saveAboutYou({ name: 'Ada', zone: 'Nowhere' }), /There is no such zone/)
  assert.equal(written().length, 1)
  assert.equal(met(), false)
})

test('a USER.md that is there already stays, and that is said', async (t) => {
  serve(t)
  gateway.on(`GET ${document}`, ok({ path: 'USER.md', content: 'mine', updated_at: '2026-01-01T00:00:00Z' }))
  await assert.rejects(saveAboutYou({ name: 'Ada', zone: '' }), /Memory has a USER\.md already/)
  assert.deepEqual(written(), [])
})
