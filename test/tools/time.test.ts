// The `time` tool with a fixed clock.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import type { Json } from '#core/json.ts'
import { createTimeTool } from '#tools/time.ts'

const tool = createTimeTool({ now: () => Date.parse('2026-03-04T23:06:07.890Z'), defaultZone: 'UTC' })

async function run(args: Json): Promise<unknown> {
  const signal = new AbortController().signal
  return JSON.parse(
    await tool.run(JSON.stringify(args), { user: operator, threadId: 't', turnId: 'u', callId: 'c', signal }),
  )
}

test('the tool only reads and may be repeated', () => {
  assert.deepEqual([tool.spec.name, tool.effects, tool.repeatable, tool.untrusted], ['time', 'read', true, false])
})

test('the moment is told in the default zone, with the whole second in unix time', async () => {
  assert.deepEqual(await run({}), {
    iso: '2026-03-04T23:06:07.890Z',
    local: 'Wednesday, 4 March 2026 at 23:06:07 UTC',
    timezone: 'UTC',
    weekday: 'Wednesday',
    unix: 1772665567,
  })
})

const zones: readonly (readonly [asked: Json, zone: string, weekday: string, time: string])[] = [
  ['Asia/Tokyo', 'Asia/Tokyo', 'Thursday', '08:06:07'],
  ['america/new_york', 'America/New_York', 'Wednesday', '18:06:07'],
  [' Europe/Paris ', 'Europe/Paris', 'Thursday', '00:06:07'],
  ['', 'UTC', 'Wednesday', '23:06:07'],
  [null, 'UTC', 'Wednesday', '23:06:07'],
]

for (const [asked, zone, weekday, time] of zones) {
  test(`timezone ${JSON.stringify(asked)} tells ${weekday} ${time}`, async () => {
    const moment = await run({ timezone: asked })
    assert.partialDeepStrictEqual(moment, { timezone: zone, weekday, iso: '2026-03-04T23:06:07.890Z' })
    assert.ok(JSON.stringify(moment).includes(time))
  })
}

test('an unknown zone is an error that names it and an example', async () => {
  const wanted = {
    code: 'invalid_input',
    message: 'unknown time zone "Paris"; use an IANA name such as "Europe/Paris"',
  }
  await assert.rejects(run({ timezone: 'Paris' }), wanted)
})

test('a zone that is no text is an error, and a long one is cut in the message', async () => {
  await assert.rejects(run({ timezone: 7 }), { code: 'invalid_input', message: /timezone must be a text/ })
  await assert.rejects(run({ timezone: 'x'.repeat(10_000) }), (error: Error) => error.message.length < 200)
})

test('a parameter that the tool does not have is refused by name', async () => {
  const message = 'zone is not a parameter; the parameters are timezone'
  await assert.rejects(run({ zone: 'Europe/Paris' }), { code: 'invalid_input', message })
})

test('arguments that are no object count as none', async () => {
  assert.partialDeepStrictEqual(await run('now'), { timezone: 'UTC' })
})

test('without a default the zone is the machine’s', async () => {
  const own = createTimeTool({ now: () => 0 })
  const signal = new AbortController().signal
  const text = await own.run('{}', { user: operator, threadId: 't', turnId: 'u', callId: 'c', signal })
  assert.partialDeepStrictEqual(JSON.parse(text), {
    timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    unix: 0,
  })
})
