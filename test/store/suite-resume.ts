// Resumes: turns that bring the output of a call that their thread waits for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '#core/errors.ts'
import type { NewTurn } from '#core/turn-store.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { Open } from './harness.ts'
import {
  ada,
  bob,
  finish,
  itemsOf,
  lease,
  output,
  pictureOf,
  queuedTurn,
  rejectsWith,
  threadAtGate,
  turnOf,
} from './harness.ts'

const spec: ToolSpec = { name: 'act', description: 'acts', parameters: {} }

export function resumeTests(open: Open): void {
  const resume = { resumes: 'c1', input: [output('c1')], whenBusy: 'refuse' as const }

  test('a resume that is refused leaves the gate as it was', async (t) => {
    const refused: [what: string, over: Partial<NewTurn>, code: ErrorCode][] = [
      ['another call of the thread', { ...resume, resumes: 'c2' }, 'call_id_mismatch'],
      ['a call that never was', { ...resume, resumes: 'c9' }, 'call_id_mismatch'],
      ['another user', { ...resume, user: bob }, 'not_found'],
      ['a plain message', { whenBusy: 'refuse' }, 'tool_output_required'],
    ]
    const { store } = await open(t)
    const turn = await threadAtGate(store)
    const before = await pictureOf(store, turn)
    for (const [what, over, code] of refused) {
      await rejectsWith(store.turns.start(turnOf({ ...over, threadId: turn.threadId })), code)
      assert.deepEqual(await pictureOf(store, turn), before, what)
    }
    const idle = await store.turns.start(turnOf())
    await finish(store, idle.turn)
    await rejectsWith(store.turns.start(turnOf({ ...resume, threadId: idle.turn.threadId })), 'no_open_gate')
    assert.equal((await store.threads.findByOpenCall(ada, 'c1'))?.id, turn.threadId)
  })

  test('a resume appends the output, closes the gate and runs before what is queued', async (t) => {
    const { store } = await open(t)
    const { threadId } = await threadAtGate(store)
    await store.turns.start(turnOf({ threadId }))
    const { turn, entries } = await store.turns.start(turnOf({ ...resume, threadId }))
    assert.deepEqual([turn.status, turn.firstSeq, entries[0]?.item.type], ['running', 5, 'answer'])
    assert.equal((await store.threads.get(ada, threadId))?.openCall, undefined)
    assert.equal(await store.threads.findByOpenCall(ada, 'c1'), undefined)
    assert.deepEqual((await store.turns.claim(lease, 9)).started, [])
  })

  test('a resume that finds no room is stored as begun, so that its gate cannot be answered twice', async (t) => {
    const { store } = await open(t)
    const { threadId } = await threadAtGate(store)
    const { turn } = await store.turns.start(queuedTurn({ ...resume, threadId }))
    assert.deepEqual([turn.status, turn.firstSeq], ['queued', 5])
    await rejectsWith(store.turns.start(turnOf({ ...resume, threadId })), 'no_open_gate')
    const { started } = await store.turns.claim(lease, 9)
    assert.deepEqual(
      started.map(({ turn, entries }) => [turn.id, turn.firstSeq, entries]),
      [[turn.id, 5, []]],
    )
    assert.equal((await itemsOf(store, turn)).filter(({ type }) => type === 'answer').length, 1)
  })

  test('of two resumes at once one wins', async (t) => {
    const { store } = await open(t)
    const { threadId } = await threadAtGate(store)
    const both = await Promise.allSettled([1, 2].map(() => store.turns.start(turnOf({ ...resume, threadId }))))
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  })

  test("a resume without tools goes on with the last turn's, a new message without tools has none", async (t) => {
    const { store } = await open(t)
    const { threadId } = await threadAtGate(store, { options: { tools: [spec], temperature: 1 } })
    await store.turns.start(turnOf({ threadId, options: { tools: [{ ...spec, name: 'queued' }] } }))
    const resumed = await store.turns.start(turnOf({ ...resume, threadId, options: { temperature: 0 } }))
    assert.deepEqual(resumed.turn.options, { temperature: 0, tools: [spec] })
    assert.deepEqual((await store.turns.get(ada, resumed.turn.id))?.options, resumed.turn.options)
    const own = [{ ...spec, name: 'other' }]
    const second = await threadAtGate(store, { options: { tools: [spec] } })
    const replaced = await store.turns.start(turnOf({ ...resume, threadId: second.threadId, options: { tools: own } }))
    assert.deepEqual(replaced.turn.options.tools, own)
    await finish(store, replaced.turn)
    const plain = await store.turns.start(turnOf({ threadId: second.threadId }))
    assert.deepEqual(plain.turn.options, {})
  })
}
