// Turns a thread's items into what the page shows: turns with a message, calls, texts and gates. Pure.
import type { AnswerItem, CallItem, GateItem, Item, MessageItem } from '#doors/web/wire/thread.ts'
import type { Status } from '#doors/web/wire/turn.ts'
import { oneLine } from '#safety/printable.ts'

export type CallState = 'running' | 'done' | 'waiting' | 'denied' | 'failed'

export type CallView = {
  readonly id: string
  readonly name: string
  readonly args: unknown
  readonly state: CallState
  /** How long it ran; undefined while it runs, or if it never ran. */
  readonly ms?: number
  /** When it began; only while it runs. */
  readonly since?: string
  readonly output?: string
  /** The source of a result from outside. */
  readonly origin?: string
  /** The reasoning between the call before and this one. */
  readonly thought?: ThoughtView
}

export type ThoughtView = {
  readonly id: string
  readonly text: string
  /** How long the model took for the response that it began. */
  readonly ms?: number
}

export type Block =
  | { readonly type: 'text'; readonly id: string; readonly text: string; readonly cut: boolean }
  | { readonly type: 'calls'; readonly id: string; readonly calls: readonly CallView[] }
  | { readonly type: 'thought'; readonly id: string; readonly thought: ThoughtView }
  | { readonly type: 'gate'; readonly id: string; readonly gate: GateItem; readonly answer: AnswerItem | undefined }
  | { readonly type: 'summary'; readonly id: string; readonly text: string }

export type TurnView = {
  /** Unique in the thread. */
  readonly key: string
  readonly id: string
  /** The seq of its first item. */
  readonly seq: number
  /** The last view of its turn. A turn that came with a whole history has one view per user message. */
  readonly last: boolean
  readonly message: MessageItem | undefined
  readonly blocks: readonly Block[]
  /** When its last item was stored. */
  readonly lastAt: string
}

type Known = { readonly view: TurnView; readonly count: number }

/**
 * Views items as turns. A turn whose items have not changed is the same object as before, so that the page does not
 * draw it again.
 */
export function createViewer(): (items: readonly Item[]) => readonly TurnView[] {
  let known = new Map<string, Known>()
  return (items) => {
    const next = new Map<string, Known>()
    const groups = groupsOf(items)
    const later = laterEnds(groups)
    groups.forEach((group, at) => {
      const ends = later.get(at)
      const own = ends ? [...group, ...ends] : group
      const key = own[0]?.id ?? ''
      const last = groups[at + 1]?.[0]?.turn_id !== own[0]?.turn_id
      const before = known.get(key)
      const same = before && before.count === own.length && before.view.last === last
      next.set(key, same ? before : { view: viewTurn(own, last), count: own.length })
    })
    known = next
    return [...next.values()].map(({ view }) => view)
  }
}

/** Groups items by turn; every user message begins a new group too. */
function groupsOf(items: readonly Item[]): Item[][] {
  const groups: Item[][] = []
  for (const item of items) {
    const now = groups.at(-1)
    const begins = item.type === 'message' && item.role === 'user'
    if (!now || begins || now[0]?.turn_id !== item.turn_id) groups.push([item])
    else now.push(item)
  }
  return groups
}

/** By group: what ends its calls in a later one. The output of a client's function comes with the client's next turn. */
function laterEnds(groups: readonly (readonly Item[])[]): ReadonlyMap<number, readonly Item[]> {
  const calledIn = new Map<string, number>()
  const ends = new Map<number, Item[]>()
  for (const [at, group] of groups.entries()) {
    for (const item of group) {
      if (item.type === 'call') calledIn.set(item.call_id, at)
      if (item.type !== 'answer' && item.type !== 'result') continue
      const called = calledIn.get(item.call_id) ?? at
      if (called !== at) ends.set(called, [...(ends.get(called) ?? []), item])
    }
  }
  return ends
}

export function viewTurn(items: readonly Item[], last = true): TurnView {
  const blocks: Block[] = []
  let message: MessageItem | undefined
  for (const [index, item] of items.entries()) {
    if (item.type === 'message' && item.role === 'user') message = item
    else if (item.type === 'message') {
      const text = textOf(item)
      if (text !== '') blocks.push({ type: 'text', id: item.id, text, cut: item.cut === true })
    } else if (item.type === 'reasoning') {
      if (item.text.trim() !== '') blocks.push(viewThought(item, items[index - 1]))
    } else if (item.type === 'call') {
      // Reasoning between calls belongs to the second one: calls in a row stay one block.
      const [earlier, last] = blocks.slice(-2)
      const between = earlier?.type === 'calls' && last?.type === 'thought' ? last.thought : undefined
      if (between) blocks.pop()
      const call = { ...viewCall(item, items), ...(between && { thought: between }) }
      const before = blocks.at(-1)
      if (before?.type === 'calls') blocks.splice(-1, 1, { ...before, calls: [...before.calls, call] })
      else blocks.push({ type: 'calls', id: item.id, calls: [call] })
    } else if (item.type === 'gate' && item.kind !== 'output') {
      blocks.push({ type: 'gate', id: item.id, gate: item, answer: answerOf(item, items) })
    } else if (item.type === 'summary') blocks.push({ type: 'summary', id: item.id, text: item.text })
  }
  const lastAt = items.at(-1)?.at ?? ''
  return {
    key: items[0]?.id ?? '',
    id: items[0]?.turn_id ?? '',
    seq: items[0]?.seq ?? 0,
    last,
    message,
    blocks,
    lastAt,
  }
}

/** True for a turn whose last text is incomplete. */
export function isCut({ blocks }: Pick<TurnView, 'blocks'>): boolean {
  const last = blocks.at(-1)
  return last?.type === 'text' && last.cut
}

/** The line below an incomplete text; undefined while the turn goes on. */
export function cutText(status: Status | undefined): string | undefined {
  if (status === 'cancelled') return 'Stopped here.'
  if (status === 'failed') return 'The answer broke off here.'
  return status === 'completed' ? 'The answer ends here: it reached the length limit of the model.' : undefined
}

type ReasoningItem = Extract<Item, { type: 'reasoning' }>

/** Its time is that of the whole response: from what the model was asked with to what it answered. */
function viewThought({ id, text, at }: ReasoningItem, before: Item | undefined): Extract<Block, { type: 'thought' }> {
  const ms = before ? Date.parse(at) - Date.parse(before.at) : 0
  return { type: 'thought', id, thought: { id, text: text.trim(), ...(ms > 0 && { ms }) } }
}

/** The answer to a gate. A call may have several gates, one after the other. */
function answerOf(gate: GateItem, items: readonly Item[]): AnswerItem | undefined {
  for (const item of items.slice(items.indexOf(gate) + 1)) {
    if (item.type === 'answer' && item.call_id === gate.call_id) return item
    if (item.type === 'gate' && item.call_id === gate.call_id) return undefined
  }
  return undefined
}

function viewCall({ call_id, name, args, at }: CallItem, items: readonly Item[]): CallView {
  const base = { id: call_id, name, args }
  let begun = at
  let state: CallState = 'running'
  let kind: GateItem['kind'] | undefined
  for (const item of items) {
    if (!('call_id' in item) || item.call_id !== call_id) continue
    if (item.type === 'attempt') begun = item.at
    if (item.type === 'gate') {
      state = 'waiting'
      kind = item.kind
    }
    if (item.type === 'answer') {
      if (item.decision === 'output') return { ...base, state: 'done', output: item.output ?? '' }
      // A server that asked for input goes on when the person declines.
      state = item.decision === 'deny' && kind !== 'input' ? 'denied' : 'running'
    }
    if (item.type === 'result') {
      const ms = Date.parse(item.at) - Date.parse(begun)
      const end = state === 'denied' ? 'denied' : item.error ? 'failed' : 'done'
      return { ...base, state: end, ms, output: item.output, ...(item.origin && { origin: item.origin }) }
    }
  }
  return { ...base, state, ...(state === 'running' && { since: begun }) }
}

/** The text of a message, without its files and pictures. */
export function textOf({ content }: Pick<MessageItem, 'content'>): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

/** The text that the sender wrote, without parts from outside, such as those of a webhook's event. */
export function ownTextOf({ content }: Pick<MessageItem, 'content'>): string {
  return textOf({ content: content.filter((part) => part.type === 'text' && part.origin === undefined) })
}

/** The most telling argument of a call in one line: a URL without its scheme, a path, a command, a query. */
export function briefArgs(args: unknown): string {
  if (typeof args === 'string') return oneLine(args)
  if (typeof args !== 'object' || args === null) return ''
  const fields = args as Record<string, unknown>
  const method = typeof fields['method'] === 'string' ? `${fields['method']} ` : ''
  for (const name of ['url', 'path', 'command', 'query', 'pattern', 'expression', 'location', 'title']) {
    const value = fields[name]
    if (typeof value !== 'string' || value === '') continue
    const text = name === 'url' ? method + value.replace(/^https?:\/\//, '') : value
    return oneLine(name === 'query' || name === 'pattern' ? `“${text}”` : text)
  }
  const shown = Object.entries(fields).map(([name, value]) => `${name}: ${plain(value)}`)
  return oneLine(shown.join(', '))
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The first sentence of a text, for screen readers: of a link its words, without the address. */
export function firstSentence(text: string): string {
  const flat = text
    .replaceAll(/!?\[([^[\]\n]{1,200})\]\([^()[\]\n]{0,2000}\)/g, '$1')
    .replaceAll(/[#*_`>|]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return (/^.{1,240}?[.?!](?=\s|$)/.exec(flat)?.[0] ?? flat.slice(0, 240)).trim()
}
