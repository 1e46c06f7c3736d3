// Taint: whether the model has read text that nobody here vouches for. Derived from what the prompt holds, never kept.
import type { Item, Message } from '#core/item.ts'
import { fileOrigin } from '#core/origins.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { Marker } from './marks.ts'

/** The first untrusted item of a prompt: its place, and where its text came from. */
export type Taint = { readonly at: number; readonly why: string }

/** Where the first untrusted text in these items comes from; undefined while there is none. */
export function taintOf(items: readonly Item[]): string | undefined {
  return findTaint(items)?.why
}

/** The first untrusted item among those that the model still sees. */
export function findTaint(items: readonly Item[]): Taint | undefined {
  for (const [at, item] of items.entries()) {
    const why = originOf(item)
    if (why !== undefined) return { at, why }
  }
  return undefined
}

/**
 * The first tool whose description speaks to the model as an instruction would. Whoever wrote it writes into the prompt
 * before anything was read.
 */
export function taintOfTools(specs: readonly ToolSpec[], marker: Marker): string | undefined {
  const speaking = specs.find(({ description, parameters }) =>
    marker.speaks(`${description}\n${JSON.stringify(parameters)}`),
  )
  return speaking && `the description of ${speaking.name}`
}

function originOf(item: Item): string | undefined {
  switch (item.type) {
    case 'result':
    case 'summary':
      return item.origin
    case 'answer':
      return item.decision === 'output' ? 'a function of the caller' : undefined
    case 'message':
      return item.role === 'user' ? originOfMessage(item) : undefined
    case 'reasoning':
    case 'call':
    case 'attempt':
    case 'gate':
      return undefined
    default:
      return item satisfies never
  }
}

/** A plain message is its sender's own word; a file, a picture or a code host's event in it is not. */
function originOfMessage({ content }: Message): string | undefined {
  for (const part of content) {
    if (part.type === 'file') return fileOrigin(part.name)
    if (part.type === 'image') return 'an attached picture'
    if (part.origin !== undefined) return part.origin
  }
  return undefined
}
