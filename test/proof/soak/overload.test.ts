// The verdict on an overload: latencies as ratios to those at capacity.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Crowd } from './crowd.ts'
import { jobIdOf, judgeOverload, type Overloaded, placesFor, type Round, timeOfJob } from './overload.ts'

const atCapacity: Crowd = { admitted: [100, 100, 100], refused: [], wrong: 0 }
const atThreeTimes: Crowd = { admitted: [150, 180, 200], refused: [3, 4], wrong: 0 }
const good: Overloaded = {
  rounds: [1, 2, 3].map(() => ({ atCapacity, atThreeTimes })),
  behindQueue: [120, 190],
}

/** So many of the three rounds are other ones. */
function withRounds(count: number, change: Partial<Crowd>): Partial<Overloaded> {
  const other: Round = { atCapacity, atThreeTimes: { ...atThreeTimes, ...change } }
  return { rounds: good.rounds.map((round, at) => (at < count ? other : round)) }
}

test('there are as many places as turns fill four fifths of the event loop, within bounds', () => {
  assert.equal(placesFor(50, 2), 20)
  assert.deepEqual([placesFor(50, 50), placesFor(60_000, 1)], [4, 500])
})

const cases: readonly (readonly [what: string, change: Partial<Overloaded>, holds: boolean])[] = [
  ['latencies within twice those at capacity', {}, true],
  ['admitted turns that take three times', withRounds(3, { admitted: [300] }), false],
  ['most rounds with turns that take three times', withRounds(2, { admitted: [300] }), false],
  ['one round that something else disturbed', withRounds(1, { admitted: [900] }), true],
  ['a refusal that takes longer than a turn', withRounds(3, { refused: [101] }), false],
  ['a round in which nobody is refused', withRounds(1, { refused: [] }), false],
  ['a round in which nobody is admitted', withRounds(1, { admitted: [] }), false],
  ['a refusal without Retry-After', withRounds(1, { wrong: 1 }), false],
  ['two turns behind the queue of another', { behindQueue: [300, 300] }, false],
  ['a job behind a queue that fails', { behindQueue: [Number.NaN] }, false],
  ['a job that fails before others that are quick', { behindQueue: [Number.NaN, 1, 1, 1, 1] }, false],
  ['a job that fails behind others that are quick', { behindQueue: [1, 1, 1, 1, Number.NaN] }, false],
  ['no job behind a queue', { behindQueue: [] }, false],
]

for (const [what, change, holds] of cases) {
  test(`${what}: ${holds ? 'holds' : 'does not hold'}`, () => {
    assert.equal(judgeOverload({ ...good, ...change }).holds, holds)
  })
}

test('a job that the webhook refuses ends the measurement', () => {
  assert.equal(jobIdOf(200, '{"job_id":"t1","status":"queued"}'), 't1')
  assert.throws(() => jobIdOf(503, '{"error":"busy"}'), /the webhook took no job: it answered 503 \{"error":"busy"\}/)
  assert.throws(() => jobIdOf(200, '{"status":"queued"}'), /took no job/)
})

/** A webhook channel that takes every job, and says of each what the test makes it say. */
async function openWebhook(t: TestContext, tell: RequestListener): Promise<{ webhook(): string }> {
  const server = createServer((request, response) => {
    if (request.method === 'POST') response.end('{"job_id":"t1"}')
    else tell(request, response)
  })
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { webhook: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const [created, completed] = ['"created_at":"2026-01-01T00:00:00.000Z"', '"completed_at":"2026-01-01T00:00:00.250Z"']

test('the time of a job is that of the service, from its creation to its end', async (t) => {
  let looks = 0
  const site = await openWebhook(t, (_, response) => response.end(`{${created}${looks++ > 1 ? `,${completed}` : ''}}`))
  assert.equal(await timeOfJob(site), 250)
})

const endless: readonly [what: string, tell: RequestListener][] = [
  ['a job that never ends', (_, response) => response.end(`{${created}}`)],
  ['a job that no answer tells of', () => {}],
]
for (const [what, tell] of endless) {
  test(`${what} has no time, and is not waited for longer than is said`, async (t) => {
    assert.equal(await timeOfJob(await openWebhook(t, tell), 50), Number.NaN)
  })
}
