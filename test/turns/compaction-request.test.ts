// A history that is summarised on request: read page by page, within its caps, and by rule where the model fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import type { Store } from '#core/store.ts'
import { noUsage } from '#core/turn.ts'
import { compactHistory } from '#turns/compaction-request.ts'
import { scripted } from '../agent/tools.ts'
import { fake } from '../fake.ts'
import { ada } from '../store/harness.ts'

type Given = {
  readonly stored?: readonly Item[]
  readonly items?: readonly Item[]
  readonly model?: Model
  readonly allowed?: boolean
}

async function compacted({ stored, items = [], model = scripted([['They spoke of soup.']]), allowed }: Given) {
  const [counted, stepped, asked]: [unknown[], unknown[], number[]] = [[], [], []]
  const reads: unknown[] = []
  const entries = (_user: unknown, threadId: string, { after, limit }: { after: number; limit: number }) => {
    reads.push([threadId, after, limit])
    const rest = (stored ?? []).slice(after)
    const page = rest.slice(0, 2).map((item, at): Entry => ({ seq: after + at + 1, id: 'i', turnId: 't', at: 0, item }))
    return Promise.resolve({ entries: page, more: rest.length > 2 })
  }
  const store = fake<Pick<Store, 'threads' | 'usage'>>({
    threads: { entries },
    usage: { add: (...given: unknown[]) => Promise.resolve(void counted.push(given)) },
  })
  const allows = (_user: unknown, usd: number): Promise<boolean> => {
    asked.push(usd)
    return Promise.resolve(allowed ?? true)
  }
  const made = await compactHistory(
    {
      store,
      model: () => Promise.resolve(model),
      observer: { stepped: (...given) => stepped.push(given) },
      ...(allowed !== undefined && { spend: { allows } }),
    },
    ada,
    { door: 'responses', items, ...(stored && { threadId: 'h' }) },
    new AbortController().signal,
  )
  return { made, counted, stepped, asked, reads }
}

const soup = textMessage('user', 'Tell me of soup.')
const outside: Item = { type: 'result', callId: 'c', output: 'obey', origin: 'fetch' }

test('the stored thread comes before the given items, page by page', async () => {
  const stored = ['one', 'two', 'three', 'four', 'five'].map((text) => textMessage('user', text))
  const model = scripted([['ok']])
  const { reads, made } = await compacted({ stored, items: [textMessage('user', 'six')], model })
  assert.deepEqual(
    reads,
    [0, 2, 4].map((after) => ['h', after, 500]),
  )
  const [shown] = model.requests[0]?.items ?? []
  assert.match(JSON.stringify(shown), /one.*two.*three.*four.*five.*six/)
  assert.deepEqual([made.text, made.tainted], ['ok', false])
  assert.deepEqual((await compacted({ items: [soup] })).reads, [], 'without a thread nothing is read')
})

test('of a thread without end 200 pages are read', async () => {
  const { reads } = await compacted({ stored: Array.from({ length: 500 }, () => soup) })
  assert.equal(reads.length, 200)
})

test('text from outside taints the summary, in the thread or beside it', async () => {
  assert.equal((await compacted({ stored: [outside, soup, soup] })).made.tainted, true)
  assert.equal((await compacted({ items: [outside, soup] })).made.tainted, true)
})

test('a call of the model is counted for its user and door, and by the metrics', async () => {
  const { counted, stepped, made } = await compacted({ items: [soup] })
  assert.equal(counted.length, 1)
  const [user, door, asked] = counted[0] as [unknown, unknown, { model: string }]
  assert.deepEqual([user, door, asked.model], [ada, 'responses', 'test'])
  assert.deepEqual(stepped, [[[], [], [], asked]])
  assert.deepEqual(made.usage, { ...noUsage, model: 'test' })
})

test('a model that fails gives way to the rule; what it cost is still counted', async () => {
  const broken: Model = {
    ...scripted([]),
    // oxlint-disable-next-line require-await -- a stream by its type
    async *stream() {
      yield [{ type: 'text', text: 'Half a' }]
      throw new Error('the line is dead')
    },
  }
  const { made, counted } = await compacted({ items: [soup], model: broken })
  assert.match(made.text, /^\[the conversation so far, shortened\]\nuser: Tell me of soup\.$/)
  assert.equal(counted.length, 1)
})

test('beyond the caps, and for a model that cannot summarise, the rule is used and nothing is counted', async () => {
  const priced = { ...scripted([['no']]), priceOf: () => 3 }
  const beyond = await compacted({ items: [soup], model: priced, allowed: false })
  assert.deepEqual([beyond.asked, beyond.counted, beyond.made.usage], [[3], [], noUsage])
  assert.match(beyond.made.text, /shortened\]\nuser: Tell me of soup/)
  const byRule = await compacted({ items: [soup], model: { ...scripted([]), byRule: true }, allowed: false })
  assert.deepEqual([byRule.asked, byRule.counted], [[], []], 'a rule costs nothing')
  const unpriced = await compacted({ items: [soup], allowed: true })
  assert.deepEqual([unpriced.asked, unpriced.made.text], [[0], 'They spoke of soup.'])
})

test('a history that is shortened by rule keeps 48,000 characters', async () => {
  const model = { ...scripted([]), byRule: true as const }
  const items = Array.from({ length: 20 }, () => textMessage('user', 'x'.repeat(7_000)))
  const { made } = await compacted({ items, model })
  assert.ok(made.text.length >= 48_000 && made.text.length < 48_200, String(made.text.length))
})
