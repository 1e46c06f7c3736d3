// References to items of earlier responses, resolved in the threads of the caller.
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import { wrongField } from '#http/validate.ts'
import type { ThreadStore } from '#core/store.ts'
import type { InputItem } from './input.ts'

/** Each reference costs a query of its own. */
const maxReferences = 500

export type Resolved = {
  /** The input with every reference replaced by the item it names. */
  readonly items: readonly InputItem[]
  /** Positions of items that are already in the continued thread. They are not appended again. */
  readonly known: ReadonlySet<number>
}

/** Throws invalid_input for a reference to an item that is in no thread of this user. */
export async function resolveReferences(
  threads: Pick<ThreadStore, 'findItems'>,
  user: UserId,
  { input, threadId }: { input: readonly InputItem[]; threadId: string | undefined },
): Promise<Resolved> {
  const references = input.filter((item) => item.type === 'reference')
  if (references.length === 0) return { items: input, known: new Set() }
  if (references.length > maxReferences) {
    throw wrongField('input', `has ${references.length} references, at most ${maxReferences} are accepted`)
  }
  const found = new Map((await threads.findItems(user, references)).map((entry) => [entry.id, entry]))
  const known = new Set<number>()
  const items = input.map((item, at): InputItem => {
    if (item.type !== 'reference') return item
    const entry = found.get(item.itemId)
    const named = entry && inputOf(entry)
    if (!named) throw wrongField(`input[${at}].id`, 'names no item of your threads: send the item itself')
    if (item.threadId === threadId) known.add(at)
    return named
  })
  return { items, known }
}

function inputOf({ item }: Entry): InputItem | undefined {
  switch (item.type) {
    case 'message':
      return { ...item, ours: true }
    case 'gate':
      return item.kind === 'output'
        ? { type: 'call', callId: item.callId, name: item.name, args: item.args }
        : undefined
    case 'call':
      return { type: 'call', callId: item.callId, name: item.name, args: item.args }
    case 'answer':
      return item.decision === 'output' ? { type: 'output', callId: item.callId, output: item.output ?? '' } : undefined
    case 'result':
      return { type: 'output', callId: item.callId, output: item.output }
    case 'reasoning':
      return { type: 'nothing' }
    case 'attempt':
    case 'summary':
      return undefined
    default:
      return item satisfies never
  }
}
