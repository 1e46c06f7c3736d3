// A compacted conversation on the wire: one opaque string that later requests can send as input.
import type { Message, Part } from '#core/item.ts'
import { isObject } from '#core/json.ts'
import { summaryOrigin } from '#core/origins.ts'
import { block } from '#doors/openai/blocks.ts'
import { excessOf } from '#lib/json-bounds.ts'

/** A compaction has three fields. */
const compactionBounds = { values: 10, names: 10, levels: 1 }

/** `tainted` means that it contains untrusted text. */
export type Compaction = { readonly text: string; readonly tainted: boolean }

/** The `encrypted_content` of a compaction item. Encoded only: it contains nothing that its caller has not seen. */
export function closeCompaction({ text, tainted }: Compaction): string {
  const value = { v: 1, transcript: text, ...(tainted && { tainted }) }
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Message parts that replace the conversation. Undefined when this service did not make the content. */
export async function openCompaction(content: string): Promise<Part[] | undefined> {
  try {
    const json = Buffer.from(content, 'base64url')
    if (excessOf(json, compactionBounds)) return undefined
    const value: unknown = JSON.parse(json.toString('utf8'))
    if (!isObject(value) || value['v'] !== 1 || typeof value['transcript'] !== 'string') return undefined
    const text = value['transcript']
    if (value['tainted'] !== true) return [{ type: 'text', text: (await block('conversation-so-far', text)).trimEnd() }]
    return [
      { type: 'text', text: 'The conversation so far:\n' },
      { type: 'text', text, origin: summaryOrigin },
    ]
  } catch {
    return undefined
  }
}

/** The tainted compaction that a stored message was made from, so that the list of inputs can show it as one again. */
export function compactionIn({ content }: Message): Compaction | undefined {
  const part = content.find((each) => each.type === 'text' && each.origin === summaryOrigin)
  return part?.type === 'text' ? { text: part.text, tainted: true } : undefined
}
