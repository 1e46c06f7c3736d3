// A thread of 2,000 turns with a model of a small window, which refuses what a real one would refuse.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Item, textOf } from '#core/item.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { ada, other } from '../store/harness.ts'
import { eventsOf, message, openHouse } from '../turns/house.ts'
import { openTestStore } from './bench.ts'

const turnCount = 2_000
const window = 4_000
/** This model's tokens are shorter than those of our count. */
const bytesPerToken = 3.2
const rule = 'Rule of the user: sign every answer with Zed.'
const fact = 'FACT: the cat is called Tom.'
/** A skill that is loaded in the third turn, and never again. */
const skill = `# Cats\n\n${'1. Weigh the cat, then write it down.\n'.repeat(16)}\nNever shave it.`

/** Throws what a strict server refuses; answers what the prompt lets it know; keeps facts when it summarises. */
function strictModel(bill: number[]): Model {
  return {
    provider: 'test',
    name: 'strict',
    window,
    priceOf: ({ inputTokens, outputTokens }) => (inputTokens + 4 * outputTokens) / 1e6,
    async *stream(request) {
      const shown = textsIn(request).join('\n')
      const bytes = Buffer.byteLength(shown) + Buffer.byteLength(JSON.stringify(request.tools))
      const inputTokens = Math.ceil(bytes / bytesPerToken) + 4 * request.items.length
      assert.ok(inputTokens <= 0.8 * window, `a prompt of ${inputTokens} tokens`)
      checkOrder(request.items)
      const events = isSummary(request) ? [summaryOf(shown)] : answerTo(request, shown)
      const outputTokens = Math.ceil(JSON.stringify(events).length / bytesPerToken)
      const costUsd = (inputTokens + 4 * outputTokens) / 1e6
      bill.push(costUsd)
      yield [...events, { type: 'done', usage: { ...noUsage, inputTokens, outputTokens, costUsd } }]
    },
  }
}

const loaded: readonly Item[] = [
  { type: 'call', callId: 'c', name: 'skill_load', args: '{"name":"cats"}' },
  { type: 'result', callId: 'c', output: skill, skill: { name: 'cats' } },
]

const isSummary = ({ system }: ModelRequest): boolean => system.startsWith('You write the summary')

function textsIn({ system, items }: ModelRequest): string[] {
  const texts = items.map((item) => {
    if (item.type === 'message') return textOf(item)
    return item.type === 'result' ? item.output : item.type === 'call' ? item.args : ''
  })
  return [system, ...texts]
}

function checkOrder(items: readonly Item[]): void {
  const open = new Set<string>()
  items.forEach((item, at) => {
    const before = items[at - 1]
    if (at === 0) assert.ok(item.type === 'message' && item.role === 'user', 'the user speaks first')
    if (item.type === 'call') open.add(item.callId)
    if (item.type === 'result') assert.ok(open.delete(item.callId), 'a result has its call')
    if (item.type !== 'message') return
    assert.equal(open.size, 0, 'every call has its result')
    assert.ok(before?.type !== 'message' || before.role !== item.role, 'they take turns')
  })
  assert.equal(open.size, 0)
}

function summaryOf(shown: string): ModelEvent {
  const facts = new Set(shown.match(/FACT: [^.]*\./g))
  return { type: 'text', text: [...facts, 'They talked of numbers.'].join('\n') }
}

function answerTo({ items }: ModelRequest, shown: string): ModelEvent[] {
  const last = items.at(-1)
  if (last?.type === 'message' && textOf(last).endsWith('look it up')) {
    return [{ type: 'call', name: 'read', args: JSON.stringify({ at: items.length }) }]
  }
  const knows = shown.includes('called Tom') ? 'Tom' : 'nobody'
  return [
    {
      type: 'text',
      text: `${knows}${shown.includes(rule) ? ', Zed' : ''}${shown.includes(skill) ? ', with the skill' : ''}`,
    },
  ]
}

test('2,000 turns in a small window: early facts, a loaded skill and pinned rules are still known, and a turn costs what it did', async (t) => {
  const store = openTestStore(t)
  const bill: number[] = []
  const perTurn: number[] = []
  const model = strictModel(bill)
  const identity = () => Promise.resolve([rule])
  let house = openHouse(t, { store, model: () => Promise.resolve(model), identity })
  let threadId: string | undefined
  for (let at = 0; at < turnCount; at++) {
    // Another process takes over in the middle, with nothing in its memory.
    if (at === turnCount / 2) {
      await house.runner.drain(0)
      house = openHouse(t, { store, model: () => Promise.resolve(model), identity, lease: other })
    }
    const words = `number ${at}: ${'lorem ipsum '.repeat(at % 40)}${at % 5 === 0 ? 'look it up' : ''}`
    const said = at === 0 ? fact : words
    const sent = message(said, threadId === undefined ? {} : { threadId })
    const { turn, events } = await house.turns.start(at === 2 ? { ...sent, input: [...sent.input, ...loaded] } : sent)
    threadId = turn.threadId
    const last = (await eventsOf(events)).findLast((event) => event.type === 'turn')
    assert.equal(last?.turn.status, 'completed', `turn ${at}: ${last?.turn.error?.message}`)
    perTurn.push(last?.turn.usage.costUsd ?? 0)
  }
  const turn = (await house.turns.list(ada, { limit: 1 })).rows[0]
  assert.equal(turn?.reply?.text, 'Tom, Zed, with the skill')
  const sum = (costs: readonly number[]): number => costs.reduce((all, each) => all + each, 0)
  const [early, late] = [sum(perTurn.slice(200, 400)), sum(perTurn.slice(-200))]
  assert.ok(late < 1.3 * early, `200 turns cost ${early} at first and ${late} at last`)
  assert.ok(Math.max(...perTurn) * 1e6 < 4 * window, 'no turn costs more than a few windows')
  assert.ok(
    Math.abs(sum(bill) - ((await store.usage.list(ada, 2))[0]?.costUsd ?? 0)) < 1e-9,
    'and all of it is counted',
  )
  assert.ok(threadId && turn)
  const { lastSeq = 0 } = (await store.threads.get(ada, threadId)) ?? {}
  assert.ok(lastSeq > 2 * turnCount, 'the log has everything')
  const next = await house.turns.start(message('one more', { threadId }))
  const { after } = await store.threads.history(next.turn)
  assert.ok(lastSeq - after < 200, `a cold read brings ${lastSeq - after} items of ${lastSeq}`)
  await eventsOf(next.events)
})
