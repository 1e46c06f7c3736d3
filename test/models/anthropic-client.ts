// Anthropic's client and a strict server for it.
import type { TestContext } from 'node:test'
import type { Item } from '#core/item.ts'
import { textMessage } from '#core/item.ts'
import type { ModelEvent, ModelRequest } from '#core/model.ts'
import { createAnthropicModel } from '#models/anthropic.ts'
import { anthropicKey, serveAnthropic } from './strict-anthropic.ts'
import { hello, type Reply } from './wire.ts'

export type Parts = Partial<Parameters<typeof createAnthropicModel>[0]>

/** A strict server and a model that never really waits. */
export async function serve(t: TestContext, replies: readonly Reply[], parts: Parts = {}) {
  const served = await serveAnthropic(t, ...replies)
  const slept: number[] = []
  const model = createAnthropicModel({
    name: 'claude-sonnet-4-6',
    baseUrl: `${served.url}/v1`,
    apiKey: anthropicKey,
    keyName: 'ANTHROPIC_API_KEY',
    sleep: async (ms) => void slept.push(ms),
    random: () => 1,
    ...parts,
  })
  return { ...served, model, slept }
}

export const text = { text: ['Hel', 'lo'] }
export const tool = {
  name: 'lookup',
  description: 'Looks up.',
  parameters: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
} as const
export const ask = (items: readonly Item[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...hello,
  items,
  ...more,
})

/** What the model said, as items of a thread. */
export function itemsOf(events: readonly ModelEvent[]): Item[] {
  const items: Item[] = []
  for (const each of events) {
    const last = items.at(-1)
    if (each.type === 'text') items.push(textMessage('assistant', each.text))
    else if (each.type === 'call') {
      const { name, args, signature } = each
      items.push({ type: 'call', callId: `call_${items.length}`, name, args, ...(signature && { seal: signature }) })
    } else if (each.type === 'reasoning' && each.signature !== undefined && last?.type === 'reasoning' && !last.seal) {
      items[items.length - 1] = { ...last, seal: each.signature }
    } else if (each.type === 'reasoning')
      items.push({ type: 'reasoning', text: each.text, ...(each.signature && { seal: each.signature }) })
  }
  return items
}
export const resultsOf = (items: readonly Item[]): Item[] =>
  items.flatMap((item) => (item.type === 'call' ? [{ type: 'result', callId: item.callId, output: 'fine' }] : []))
