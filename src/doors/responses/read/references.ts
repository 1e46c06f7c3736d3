// References to items of earlier responses, resolved in the threads of the caller.
import { wrongField } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { type Answer, type Entry, isRemoved, textMessage, textOf } from '#core/item.ts'
import type { ItemRef, ThreadStore } from '#core/thread-store.ts'
import type { Turns } from '#turns/turns.ts'
import { inputOfGiven } from './given-items.ts'
import type { InputItem } from './input.ts'

/** Each reference costs a query of its own. */
const maxReferences = 500
/** Messages that are still being written: a client has one or two. */
const maxUnwritten = 4
/** How long another process may take to send the text that it has. */
const partialWaitMs = 300

export type Resolved = {
  /** The input with every reference replaced by the item it names. */
  readonly items: readonly InputItem[]
  /** Positions of items that are already in the continued thread. They are not appended again. */
  readonly known: ReadonlySet<number>
}

/** Items with references, and the thread that they continue. `field` is the one of the request that has them. */
type Referring = {
  readonly input: readonly InputItem[]
  readonly threadId: string | undefined
  readonly field?: 'input' | 'items'
}

export type ReferenceParts = {
  readonly threads: Pick<ThreadStore, 'findItems' | 'get'>
  readonly turns: Pick<Turns, 'watch'>
}

/**
 * Throws invalid_input for a reference to an item that is in no thread of this user. An answer of the model is as untrusted
 * elsewhere as one that was sent: the model may have read text from outside before it.
 */
export async function resolveReferences(
  { threads, turns }: ReferenceParts,
  user: UserId,
  { input, threadId, field = 'input' }: Referring,
): Promise<Resolved> {
  const references = input.filter((item) => item.type === 'reference')
  if (references.length === 0) return { items: input, known: new Set() }
  if (references.length > maxReferences) {
    throw wrongField(field, `has ${references.length} references, at most ${maxReferences} are accepted`)
  }
  const found = new Map((await threads.findItems(user, references)).map((entry) => [entry.id, entry]))
  const known = new Set<number>()
  const unwritten = references.filter(({ itemId }) => !found.has(itemId)).slice(0, maxUnwritten)
  const texts = new Map<string, string>()
  for (const each of unwritten) {
    const text = await textSoFar({ threads, turns }, user, each)
    if (text !== undefined) texts.set(each.itemId, text)
  }
  const items = input.map((item, at): InputItem => {
    if (item.type !== 'reference') return item
    const entry = found.get(item.itemId)
    const text = texts.get(item.itemId)
    if (text !== undefined) return textMessage('assistant', text)
    const named = entry && inputOf(entry)
    if (!named) throw wrongField(`${field}[${at}].id`, 'names no item of your threads: send the item itself')
    if (item.threadId === threadId) known.add(at)
    return named
  })
  return { items, known }
}

/** The text so far of a message that is still being written, at any replica; undefined when nobody writes it. */
async function textSoFar(
  { threads, turns }: ReferenceParts,
  user: UserId,
  { threadId, itemId }: ItemRef,
): Promise<string | undefined> {
  const thread = await threads.get(user, threadId)
  if (thread?.state !== 'running' || thread.userId !== user) return undefined
  const watch = turns.watch(user, threadId, thread.lastSeq)
  const timer = setTimeout(() => watch.close(), partialWaitMs)
  let text: string | undefined
  try {
    for await (const events of watch) {
      for (const event of events) {
        if (event.type === 'snapshot' && event.itemId === itemId) return event.text
        // Text of another process comes in pieces.
        if (event.type === 'delta' && event.itemId === itemId) text = (text ?? '').slice(0, event.offset) + event.text
        if (event.type !== 'entries') continue
        const item = event.entries.find(({ id }) => id === itemId)?.item
        if (item?.type === 'message') return textOf(item)
      }
    }
    return text
  } finally {
    clearTimeout(timer)
    watch.close()
  }
}

function inputOf({ item }: Entry): InputItem | undefined {
  switch (item.type) {
    case 'message':
      if (isRemoved(item)) return undefined
      return item.given ? inputOfGiven(item, item.given) : item
    case 'gate':
      return item.kind === 'output'
        ? { type: 'call', callId: item.callId, name: item.name, args: item.args }
        : undefined
    case 'call':
      return { type: 'call', callId: item.callId, name: item.name, args: item.args }
    case 'answer':
      return item.decision === 'output' ? outputItem(item) : undefined
    case 'result':
      return outputItem(item)
    case 'reasoning':
      return { type: 'nothing' }
    case 'attempt':
    case 'summary':
      return undefined
    default:
      return item satisfies never
  }
}

function outputItem({ callId, output = '', images }: Pick<Answer, 'callId' | 'output' | 'images'>): InputItem {
  return { type: 'output', callId, output, ...(images && { images }) }
}
