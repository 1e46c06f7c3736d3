// Threads that outgrow their model's window: where they are cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { budgetIn, type CutPlan, planCut as planInSlices, shortened } from '#agent/compact.ts'
import { tokensInItem } from '#agent/tokens.ts'
import { isModelMade } from '#core/calls.ts'
import { type Item, type Message, textMessage } from '#core/item.ts'
import { charsPerToken } from '#core/tokens.ts'
import { call } from './tools.ts'

const room = { thread: 400, summary: 100, item: 200 }
const user = (text = 'go') => textMessage('user', text)
const long = (word: string) => `${word} ${'x'.repeat(400)}`

function planCut(...given: Parameters<typeof planInSlices>): CutPlan | undefined {
  const slices = planInSlices(...given)
  for (;;) {
    const { done, value } = slices.next()
    if (done) return value
  }
}

/** Some rounds of a conversation: a message, some calls with their results in any order, a reply. */
const round = fc
  .record({ calls: fc.nat(3), chars: fc.nat(600), reply: fc.boolean(), shuffle: fc.boolean() })
  .map(({ calls, chars, reply, shuffle }): Item[] => {
    const ids = Array.from({ length: calls }, () => `c${Math.random()}`)
    const results = ids.map((callId): Item => ({ type: 'result', callId, output: 'r'.repeat(chars) }))
    return [
      user('u'.repeat(chars)),
      ...(calls > 0 ? [{ type: 'reasoning', text: 'hm' } as const] : []),
      ...ids.map((id) => call(id, 'read')),
      ...ids.map((callId): Item => ({ type: 'attempt', callId })),
      ...(shuffle ? results.toReversed() : results),
      ...(reply ? [textMessage('assistant', 'a'.repeat(chars))] : []),
    ]
  })

test('a cut never splits a response, or a call from its result, and leaves the end as it is', () => {
  fc.assert(
    fc.property(fc.array(round, { minLength: 1, maxLength: 12 }), fc.boolean(), (rounds, open) => {
      const items = [...rounds.flat(), ...(open ? [call('open', 'read')] : [])]
      const plan = planCut({ firstSeq: 1, items }, room)
      if (!plan) return
      const [gone, kept] = [items.slice(0, plan.upTo), items.slice(plan.upTo)]
      assert.ok(kept.length > 0)
      const idsOf = (some: readonly Item[], type: 'call' | 'result') =>
        some.flatMap((item) => (item.type === type ? [item.callId] : []))
      assert.deepEqual(new Set(idsOf(gone, 'call')), new Set(idsOf(gone, 'result')), 'every call with its result')
      assert.ok(!(isModelMade(gone.at(-1) as Item) && isModelMade(kept[0] as Item)), 'whole responses')
      assert.deepEqual(plan.items, gone)
    }),
  )
})

test("a caller's function that was answered is cut like any other call; one that is open is not, approved or not", () => {
  const asked = (callId: string): Item[] => [
    user(long('u')),
    call(callId, 'theirs'),
    { type: 'gate', callId, kind: 'output', name: 'theirs', args: '{}', prompt: '' },
  ]
  const output = (callId: string): Item => ({
    type: 'answer',
    callId,
    decision: 'output',
    output: long('o'),
    by: 'ada',
  })
  const rounds = ['a', 'b', 'c', 'd', 'e'].flatMap((id) => [
    ...asked(id),
    output(id),
    textMessage('assistant', long('a')),
  ])
  const plan = planCut({ firstSeq: 1, items: [...rounds, user()] }, room)
  assert.ok(plan && plan.upTo >= 5, 'behind the first answered call')
  assert.equal(rounds[plan.upTo - 1]?.type, 'message')
  const open: Item[] = [
    ...asked('x'),
    ...['f', 'g', 'h'].flatMap((id) => [user(long(id)), textMessage('assistant', long(id))]),
  ]
  assert.equal(planCut({ firstSeq: 1, items: open }, room)?.upTo, 1, 'before the open call')
  const approved: Item = { type: 'answer', callId: 'x', decision: 'allow', by: 'ada' }
  assert.equal(planCut({ firstSeq: 1, items: [...asked('x'), approved, ...open.slice(3)] }, room)?.upTo, 1)
})

test('cut after cut a thread gets within its room, and each goes further than the one before', () => {
  const items: Item[] = Array.from({ length: 40 }, (_, at) => [
    user(long(`u${at}`)),
    textMessage('assistant', long('a')),
  ]).flat()
  let before = 0
  const cuts: number[] = []
  for (
    let plan = planCut({ firstSeq: 1, items }, room);
    plan && cuts.length < 99;
    plan = planCut({ firstSeq: 1, items }, room)
  ) {
    assert.ok(plan.upTo > before)
    assert.equal(plan.items[0]?.type === 'summary', before > 0, 'what was summarised before is carried over')
    before = plan.upTo
    cuts.push(plan.upTo)
    const words = plan.items.filter(({ type }) => type !== 'summary').reduce((sum, item) => sum + tokensInItem(item), 0)
    assert.ok(words <= room.thread, 'no more at a time than the model can read')
    items.push({ type: 'summary', text: 's', upTo: plan.upTo })
    const left = items.slice(plan.upTo).filter(({ type }) => type !== 'summary')
    if (left.reduce((sum, item) => sum + tokensInItem(item), 0) <= room.thread) break
  }
  assert.ok(cuts.length > 5 && cuts.length < 40)
})

test('a window is shared out: the thread has a part however much instructions and tools take', () => {
  assert.equal(budgetIn(10_000, 2_000).thread, 6_000)
  assert.equal(budgetIn(10_000, 50_000).thread, 1_000)
  assert.ok(budgetIn(1_000_000, 0).summary <= 2_000)
  assert.deepEqual(budgetIn(10_000, 2_000), { thread: 6_000, summary: 900, item: 2_000 })
  assert.deepEqual([budgetIn(800, 0).summary, budgetIn(1_000_000, 0).summary], [100, 2_000], 'within its bounds')
})

test('a cut leaves 45 in a hundred of the room word for word, and no more', () => {
  const items = Array.from({ length: 12 }, (_, at) => textMessage(at % 2 === 0 ? 'user' : 'assistant', 'x'.repeat(400)))
  const tokens = (some: readonly Item[]): number => some.reduce((sum, item) => sum + tokensInItem(item), 0)
  const plan = planCut({ firstSeq: 1, items }, { thread: 1_000, summary: 100, item: 200 })
  assert.ok(plan)
  assert.ok(tokens(items.slice(plan.upTo)) <= 450 && tokens(items.slice(plan.upTo - 1)) > 450)
})

test('one cut takes no more than the budget of the thread, to the token', () => {
  const items = Array.from({ length: 12 }, (_, at) => messageOf(at % 2 === 0 ? 'user' : 'assistant', 100))
  assert.equal(planCut({ firstSeq: 1, items }, { thread: 200, summary: 100, item: 200 })?.upTo, 2)
  assert.equal(planCut({ firstSeq: 1, items }, { thread: 199, summary: 100, item: 200 })?.upTo, 1)
})

test('all but the last item can be cut; the message that is cut with them is pinned', () => {
  const items = [messageOf('user', 100), messageOf('assistant', 10)]
  assert.deepEqual(planCut({ firstSeq: 7, items }, { thread: 100, summary: 100, item: 200 }), {
    upTo: 7,
    items: items.slice(0, 1),
    pinned: items[0],
  })
})

test('a log that begins behind its summary is cut from its first item', () => {
  const summary: Item = { type: 'summary', text: 's', upTo: 4 }
  const [first, ...rest] = Array.from({ length: 6 }, (_, at) => messageOf(at % 2 === 0 ? 'user' : 'assistant', 100))
  const plan = planCut(
    { firstSeq: 5, items: [first as Item, summary, ...rest] },
    { thread: 200, summary: 100, item: 200 },
  )
  assert.deepEqual(plan?.items.slice(0, 2), [summary, first])
})

test('the cut of a thread of many tiny items is found in slices', () => {
  const items = Array.from({ length: 120_000 }, () => user())
  const slices = [...planInSlices({ firstSeq: 1, items }, { thread: 500_000, summary: 100, item: 200 })]
  assert.ok(slices.length > 120, `${slices.length} slices`)
})

/** A message of so many tokens. */
function messageOf(role: 'user' | 'assistant', tokens: number): Message {
  const message = textMessage(
    role,
    'x'.repeat(Math.round((tokens - tokensInItem(textMessage(role, ''))) * charsPerToken)),
  )
  assert.equal(tokensInItem(message), tokens)
  return message
}

const oversized: readonly [what: string, item: Item][] = [
  ['a result', { type: 'result', callId: 'c', output: 'x'.repeat(1_000_000) }],
  ['a message', user('x'.repeat(1_000_000))],
  ['arguments', { type: 'call', callId: 'c', name: 'n', args: JSON.stringify({ a: 'x'.repeat(1_000_000) }) }],
]
for (const [what, item] of oversized) {
  test(`${what} larger than the window is cut for the prompt, and says so`, () => {
    const cut = shortened(item, 500)
    assert.ok(tokensInItem(cut) <= 500)
    assert.match(JSON.stringify(cut), /characters left out/)
    if (cut.type === 'call') assert.equal(typeof JSON.parse(cut.args), 'object')
  })
}
