// A burst of submissions from many users: none lost, none doubled, in order within each conversation.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { userId } from '#core/ids.ts'
import { showJob } from '#doors/webhook/job.ts'
import { says, userTexts } from '../test-app.ts'
import { type House, openHouse } from './house.ts'

const perUser = 10
/** How many send at once. */
const senders = 40

/** Each of so many users sends ten messages of one conversation. */
export async function burst(t: TestContext, users: number): Promise<void> {
  const house = await openHouse(t, { say: ({ items }) => says(userTexts(items).join(',')) })
  const sent = Array.from({ length: users }, (): string[] => [])
  /** A sender speaks for several users in turn; each message waits for the acknowledgement of the one before. */
  async function send(from: number): Promise<void> {
    for (let n = 0; n < perUser; n++) {
      for (let at = from; at < users; at += senders) {
        const body = { user_id: `user ${at}`, message: `${at}.${n}`, conversation_id: 'burst', metadata: { n } }
        const { status, json } = await house.post(body)
        assert.deepEqual([status, json.status], [200, 'queued'])
        sent[at]?.push(json.job_id)
      }
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: senders }, (_, from) => send(from)))
  const acknowledged = performance.now() - begun
  for (const ids of sent) await house.completed(ids.at(-1) ?? '')
  const rate = Math.round((users * perUser * 1000) / acknowledged)
  t.diagnostic(`${rate} submissions/s, all completed after ${Math.round(performance.now() - begun)} ms`)
  assert.equal(new Set(sent.flat()).size, users * perUser)
  await Promise.all(sent.map((ids, at) => check(house, at, ids)))
}

async function check(house: House, at: number, ids: readonly string[]): Promise<void> {
  const user = userId(`webhook:user ${at}`)
  const { rows } = await house.turns.list(user, { limit: 100 })
  assert.deepEqual(
    rows.map(({ id, status }) => `${id} ${status}`),
    ids.map((id) => `${id} completed`).toReversed(),
  )
  assert.equal((await house.threads.list(user, { limit: 5 })).rows.length, 1)
  for (const [n, turn] of rows.toReversed().entries()) {
    const whole = await house.turns.get(user, turn.id)
    assert.ok(whole)
    const job = await showJob(house, whole)
    const expected = Array.from({ length: n + 1 }, (_, each) => `${at}.${each}`).join(',')
    assert.deepEqual([job.status, job.response, job.metadata], ['completed', expected, { n }])
  }
}
