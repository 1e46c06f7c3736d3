// Taint: whether the model has read untrusted text. Derived from the items of the prompt, never stored.
import type { Item, Message } from '#core/item.ts'
import { fileOrigin, pictureOrigin } from '#core/origins.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { Marker } from './marks.ts'

/** The origin of the first untrusted text in these items; undefined if there is none. Pass what the model still sees. */
export function taintOf(items: readonly Item[]): string | undefined {
  for (const item of items) {
    const origin = originOf(item)
    if (origin !== undefined) return origin
  }
  return undefined
}

/**
 * Names the first tool whose description or schema gives the model orders. The author of a tool writes into the prompt
 * before the model has read anything else. In slices: a caller or a server may write long ones.
 */
export function* toolTaintInSlices(specs: readonly ToolSpec[], marker: Marker): Generator<void, string | undefined> {
  for (const { name, description, parameters } of specs) {
    if (yield* marker.givesOrdersInSlices(`${description}\n${JSON.stringify(parameters)}`))
      return `the description of ${name}`
  }
  return undefined
}

function originOf(item: Item): string | undefined {
  switch (item.type) {
    case 'result':
    case 'summary':
      return item.origin
    case 'answer':
      return item.decision === 'output' ? 'a function of the caller' : undefined
    case 'message':
      return originOfMessage(item)
    case 'reasoning':
    case 'call':
    case 'attempt':
    case 'gate':
      return undefined
    default:
      return item satisfies never
  }
}

/** The text that a user typed is trusted; a file, a picture or a code host's event in the message is not. */
function originOfMessage({ content }: Message): string | undefined {
  for (const part of content) {
    if (part.type === 'file') return fileOrigin(part.name)
    if (part.type === 'image') return pictureOrigin
    if (part.origin !== undefined) return part.origin
  }
  return undefined
}
