// A service whose threads the tests of histories look at.
import type { TestContext } from 'node:test'
import { userId } from '#core/ids.ts'
import { type Item, textOf } from '#core/item.ts'
import type { Reply } from '#models/script.ts'
import { serve, type Served, type ServeParts } from '../responses/serve.ts'

export const ann = userId('ann')

const replies: Reply[] = [
  { when: 'weather', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
  {
    when: 'both',
    calls: [
      { name: 'get_weather', args: { city: 'A' } },
      { name: 'get_weather', args: { city: 'B' } },
    ],
  },
  { afterTool: 'get_weather', text: 'It is {{result}}.' },
  { when: 'write', text: 'I will write it.', calls: [{ name: 'workspace_write', args: { path: 'a' } }] },
  { afterTool: 'workspace_write', text: 'Written.' },
  { when: '', text: 'You said: {{input}}' },
]

export async function open(t: TestContext, parts: ServeParts = {}): Promise<Served> {
  const served = await serve({ replies, ...parts })
  t.after(() => served.close())
  return served
}

export async function itemsOf(served: Served, threadId: string): Promise<Item[]> {
  const { entries } = await served.threads.entries(ann, threadId, { after: 0, limit: 999 })
  return entries.map(({ item }) => item)
}

export const texts = (items: readonly Item[]): string[] =>
  items.flatMap((item) => (item.type === 'message' ? [textOf(item)] : []))

export const count = async (served: Served): Promise<number> =>
  (await served.threads.list(ann, { limit: 100 })).rows.length
