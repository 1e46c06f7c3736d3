// Steps with long items: what they store is made in slices, before the transaction, and is the same.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { digestOf } from '#core/digest.ts'
import { textMessage } from '#core/item.ts'
import { pointAfter } from '#core/replay-chain.ts'
import type { Step } from '#core/turn-store.ts'
import type { Turn } from '#core/turn.ts'
import { prepareStep } from '#store/long-step.ts'
import { ada, draft, lease, reply, say, step, turnOf } from './harness.ts'
import { openMemoryStore } from './memory-store.ts'

const longText = '"ä" \ud83d\ude00\n'.repeat(300_000)

/** The length of the longest JSON that is written at once meanwhile. */
function watchJson(t: TestContext): () => number {
  let longest = 0
  const { stringify } = JSON
  t.mock.method(JSON, 'stringify', (value: unknown) => {
    const text = stringify(value)
    longest = Math.max(longest, text?.length ?? 0)
    return text
  })
  return () => longest
}

async function started(options: Turn['options'] = {}) {
  const store = openMemoryStore()
  const { turn, entries } = await store.turns.start(turnOf({ input: [say('a')], options }))
  const read = async () =>
    (await store.threads.entries(ada, turn.threadId, { after: 0, limit: 9, recorded: true })).entries
  return { store, turn, entries, read }
}

const last = (drafts: Step['drafts']): Step => ({ ...step(drafts), outcome: { status: 'completed' } })

test('a long answer is stored with its digest and its point, and nowhere written as one JSON', async (t) => {
  const { store, turn, entries, read } = await started({ chain: 'x' })
  const drafts = [draft({ type: 'reasoning', text: longText }), reply(longText)]
  const longest = watchJson(t)
  const { entries: made } = await store.turns.record(turn, lease, { ...last(drafts), earlier: entries })
  assert.ok(longest() < longText.length / 2, `${longest()} characters at once`)
  t.mock.restoreAll()
  const stored = await read()
  assert.deepEqual(stored.slice(1), made)
  assert.equal(await store.turns.hash(ada, turn.id), digestOf(stored))
  const point = pointAfter('x', [textMessage('assistant', longText)])
  assert.equal((await store.threads.findByChain(ada, [point]))?.turnId, turn.id)
})

test('a long answer to a thread where something was appended meanwhile has the digest of what is stored', async () => {
  const { store, turn, entries, read } = await started()
  const ending = store.turns.record(turn, lease, { ...last([reply(longText)]), earlier: entries })
  await store.turns.record(turn, lease, step([reply('between')]))
  await ending
  const stored = await read()
  assert.deepEqual(
    stored.map(({ seq }) => seq),
    [1, 2, 3],
  )
  assert.equal(await store.turns.hash(ada, turn.id), digestOf(stored))
})

test('a turn ends with the digest of long entries that its process does not know', async () => {
  const { store, turn, read } = await started()
  await store.turns.record(turn, lease, step([reply(longText)]))
  await store.turns.record(turn, lease, last([reply('bye')]))
  const stored = await read()
  assert.equal(stored.length, 3)
  assert.equal(await store.turns.hash(ada, turn.id), digestOf(stored))
})

test('a long step in the middle of a turn has its texts made before', async (t) => {
  const { store, turn, read } = await started()
  const longest = watchJson(t)
  const item = { type: 'result', callId: 'c', output: longText } as const
  await store.turns.record(turn, lease, step([draft(item)]))
  assert.ok(longest() < longText.length / 2)
  t.mock.restoreAll()
  assert.deepEqual((await read())[1]?.item, item)
})

test('a step of the usual size is not prepared', async () => {
  const { turn, entries } = await started()
  const now = (): number => 0
  assert.equal(prepareStep(turn, { ...last([reply('b')]), earlier: entries }, now), undefined)
  assert.notEqual(prepareStep(turn, last([reply(longText)]), now), undefined)
})
