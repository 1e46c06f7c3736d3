// Loaded skills in a thread that is compacted: they stay word for word, fenced where they must be, within a budget.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortened, summariseCut } from '#agent/compact.ts'
import { createHistories } from '#agent/history.ts'
import { transcriptOf } from '#agent/transcript.ts'
import { type Item, type KeptSkill, type Summary, textMessage } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { taintOf } from '#safety/taint.ts'
import { ada } from '../store/harness.ts'
import { fence } from '../safety/test-fence.ts'

const budget = { thread: 1_000, summary: 100, item: 200 }
const byRule: Model = { provider: 'test', name: 'rule', window: 1_000, byRule: true, async *stream() {} }

function loaded(name: string, output: string, origin?: string): Item[] {
  const callId = `c-${name}-${output.length}`
  return [
    { type: 'call', callId, name: 'skill_load', args: JSON.stringify({ name }) },
    { type: 'result', callId, output, skill: { name }, ...(origin !== undefined && { origin }) },
  ]
}

async function summaryOf(items: readonly Item[]): Promise<Summary> {
  const signal = new AbortController().signal
  return (await summariseCut({ upTo: items.length, items }, { model: byRule, budget, signal })).item
}

const kept = async (items: readonly Item[]): Promise<readonly KeptSkill[]> => (await summaryOf(items)).skills ?? []

test('a summary keeps the skills that were loaded before it, and those of the summary before', async () => {
  const first = await summaryOf([textMessage('user', 'hi'), ...loaded('pdf', 'Read it.'), ...loaded('tea', 'Boil.')])
  assert.deepEqual(first.skills, [
    { name: 'pdf', text: 'Read it.' },
    { name: 'tea', text: 'Boil.' },
  ])
  assert.deepEqual(
    await kept([first, textMessage('user', 'more'), ...loaded('pdf', 'Read it twice.', 'the skill pdf')]),
    [
      { name: 'tea', text: 'Boil.' },
      { name: 'pdf', text: 'Read it twice.', origin: 'the skill pdf' },
    ],
  )
  assert.equal('skills' in (await summaryOf([textMessage('user', 'hi')])), false)
})

test('beyond their share of the thread the skills loaded last are kept', async () => {
  const items = [
    ...loaded('one', 'a'.repeat(600)),
    ...loaded('two', 'b'.repeat(400)),
    ...loaded('three', 'c'.repeat(400)),
  ]
  assert.deepEqual(
    (await kept(items)).map(({ name }) => name),
    ['two', 'three'],
  )
})

test('the summary itself does not repeat a skill', async () => {
  assert.doesNotMatch(await transcriptOf(loaded('pdf', 'Read it.'), 1_000), /Read it/)
})

test('after a summary the prompt has the skill word for word, untrusted ones fenced and tainting', async () => {
  const body = `Steps:\n${'1. Go on.\n'.repeat(60)}`
  const skills = [
    { name: 'pdf', text: body },
    { name: 'tea', text: 'Boil.', origin: 'the skill tea' },
  ]
  const log: Item[] = [textMessage('user', 'go on'), { type: 'summary', text: 'They met.', upTo: 0, skills }]
  const turn = {
    id: 't',
    threadId: 'a',
    userId: ada,
    door: 'web',
    status: 'running',
    options: {},
    createdAt: 0,
    usage: noUsage,
  } as const
  const threads = { history: () => Promise.resolve({ after: 0, items: log }) }
  const { prompt } = await createHistories({ threads, fence }).open({ turn, entries: [] })
  assert.equal(prompt.length, 1)
  const parts = prompt[0]?.type === 'message' ? prompt[0].content.map((part) => ('text' in part ? part.text : '')) : []
  assert.ok(parts.includes(body))
  assert.ok(parts.some((text) => text.startsWith('<untrusted-content id=') && text.includes('Boil.')))
  assert.equal(taintOf(prompt), 'the skill tea')
  const cut = shortened(prompt[0] as Item, 160)
  assert.ok(cut.type === 'message')
  assert.ok(
    cut.content.some((part) => part.type === 'text' && part.text === body),
    'a skill has the whole limit to itself',
  )
  const tight = shortened(prompt[0] as Item, 100)
  assert.ok(tight.type === 'message' && !tight.content.some((part) => part.type === 'text' && part.text === body))
})
