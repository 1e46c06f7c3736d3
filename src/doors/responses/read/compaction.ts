// A compacted conversation on the wire: one opaque text that is accepted as input later.
import { isObject } from '#core/json.ts'
import { fence, summaryFence } from '#safety/fence.ts'
import { block } from '#doors/openai/blocks.ts'

/** `tainted` tells that words from outside stand in it. */
export type Compaction = { readonly text: string; readonly tainted: boolean }

/** The `encrypted_content` of a compaction item. It holds nothing its caller has not seen. */
export function closeCompaction({ text, tainted }: Compaction): string {
  const value = { v: 1, transcript: text, ...(tainted && { tainted }) }
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** The text that stands for the conversation; undefined when it was not made here. */
export function openCompaction(content: string): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(content, 'base64url').toString('utf8'))
    if (!isObject(value) || value['v'] !== 1 || typeof value['transcript'] !== 'string') return undefined
    if (value['tainted'] === true) return fence(value['transcript'], summaryFence)
    return block('conversation-so-far', value['transcript']).trimEnd()
  } catch {
    return undefined
  }
}
