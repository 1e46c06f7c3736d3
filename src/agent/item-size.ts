// What an item of a history takes in memory.
import type { Item } from '#core/item.ts'

/** A rough size in memory: the item in the log, in the prompt and in the rendered request. */
export function sizeOf(item: Item): number {
  switch (item.type) {
    case 'message':
      return (
        200 + 3 * item.content.reduce((sum, part) => sum + (part.type === 'image' ? part.url : part.text).length, 0)
      )
    case 'result':
    case 'answer':
      return 200 + 3 * (item.images ?? []).reduce((sum, url) => sum + url.length, item.output?.length ?? 0)
    case 'call':
    case 'gate':
      return 200 + 3 * item.args.length
    case 'reasoning':
      return 200 + 3 * (item.text.length + (item.seal?.length ?? 0))
    case 'summary':
      return 200 + 3 * (item.skills ?? []).reduce((sum, skill) => sum + skill.text.length, item.text.length)
    case 'attempt':
      return 200
    default:
      return item satisfies never
  }
}
