// References to items of earlier responses, looked up in the threads of their caller.
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import { wrongField } from '#http/check.ts'
import type { Turns } from '#turns/turns.ts'
import type { InputItem } from './input.ts'

const pageSize = 500
/** A thread longer than this is not searched to its end. */
const maxPages = 100
/** Each thread is a read of its own. */
const maxThreads = 20

export type Resolved = {
  /** The input with every reference replaced by what it names. */
  readonly items: readonly InputItem[]
  /** Places of items that stand in the thread already, which goes on: they are not appended again. */
  readonly known: ReadonlySet<number>
}

/** Resolves references. Throws invalid_input for one that is not in a thread of this user's. */
export async function resolveReferences(
  turns: Pick<Turns, 'history'>,
  user: UserId,
  { input, threadId }: { input: readonly InputItem[]; threadId: string | undefined },
): Promise<Resolved> {
  const wanted = new Map<string, Set<string>>()
  for (const item of input) {
    if (item.type !== 'reference') continue
    const ids = wanted.get(item.threadId) ?? new Set()
    wanted.set(item.threadId, ids.add(item.itemId))
  }
  if (wanted.size === 0) return { items: input, known: new Set() }
  if (wanted.size > maxThreads) throw wrongField('input', `refers to more than ${maxThreads} threads`)
  const found = new Map<string, Entry>()
  for (const [thread, ids] of wanted) {
    for (const entry of await findEntries(turns, user, thread, ids)) found.set(entry.id, entry)
  }
  const known = new Set<number>()
  const items = input.map((item, at): InputItem => {
    if (item.type !== 'reference') return item
    const entry = found.get(item.itemId)
    const named = entry && inputOf(entry)
    if (!named) throw wrongField(`input[${at}].id`, 'names no item of a thread of yours: send the item itself')
    if (item.threadId === threadId) known.add(at)
    return named
  })
  return { items, known }
}

async function findEntries(
  turns: Pick<Turns, 'history'>,
  user: UserId,
  threadId: string,
  ids: ReadonlySet<string>,
): Promise<Entry[]> {
  const found: Entry[] = []
  let after = 0
  for (let page = 0; page < maxPages && found.length < ids.size; page++) {
    const { entries, more } = await turns.history(user, threadId, { after, limit: pageSize })
    found.push(...entries.filter(({ id }) => ids.has(id)))
    if (!more) break
    after = entries.at(-1)?.seq ?? after
  }
  return found
}

function inputOf({ item }: Entry): InputItem | undefined {
  switch (item.type) {
    case 'message':
      return item
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
