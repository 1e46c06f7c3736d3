// The link between processes: messages in their order, and what becomes of too many or too large ones.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { silentLog } from '#lib/log.ts'
import { openLink } from '#store/notify-postgres.ts'
import { usePostgres } from '../postgres.ts'
import { until } from '../until.ts'

const server = usePostgres()

/** A link that hears itself. */
async function open(t: TestContext) {
  const { url } = await server.emptied()
  const heard: unknown[] = []
  const onMessage = (message: unknown): void => void heard.push(message)
  const link = await openLink({ url, log: silentLog, onMessage, onReconnect: () => {} })
  t.after(() => link.close())
  return { link, heard }
}

test('messages of one moment arrive in their order, and one that is too large for NOTIFY is dropped', async (t) => {
  const { link, heard } = await open(t)
  const sized = (bytes: number) => ({ text: 'x'.repeat(bytes - JSON.stringify({ text: '' }).length) })
  const sent = [{ at: 0 }, sized(7_900), { at: 1 }]
  link.send(sent[0] as object)
  link.send(sized(7_901))
  for (const message of sent.slice(1)) link.send(message)
  await until(() => heard.length >= sent.length)
  assert.deepEqual(heard, sent)
})

test('at a backlog of 10,000 messages the others are told to read everything instead', async (t) => {
  const { link, heard } = await open(t)
  // The first is on its way at once, and the others wait for it.
  for (let at = 0; at <= 10_001; at++) link.send({ at })
  await until(() => heard.length >= 3)
  assert.deepEqual(heard, [{ at: 0 }, { type: 'missed' }, { at: 10_001 }])
})

test('the last messages are sent before a link is closed, and none after', async (t) => {
  const { link } = await open(t)
  const other = await open(t)
  link.send({ last: true })
  await link.close()
  link.send({ late: true })
  other.link.send({ end: true })
  await until(() => other.heard.length >= 2)
  assert.deepEqual(other.heard, [{ last: true }, { end: true }])
})
