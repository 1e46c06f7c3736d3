// Each message is one turn, and each turn comes to one end.
import type { Entry } from '#core/item.ts'
import { type History, repliedOp, type Rule, type StoredTurn } from '../history.ts'
import { entriesByTurn, eventsOf, opOf, said } from './log.ts'

export const oneReply: Rule = {
  name: 'one reply',
  promise: 'Each message is answered once, with its own reply, and every read shows the same reply.',
  check(history) {
    const entries = entriesByTurn(history.stored)
    return [...doubles(history, entries), ...endsOf(history, entries), ...readsOf(history, entries)]
  },
}

type ByTurn = ReadonlyMap<string, readonly Entry[]>

/** Messages that became two turns. */
function doubles(history: History, entries: ByTurn): string[] {
  const turnsOf = new Map<number, Set<string>>()
  const add = (op: number, turnId: string): void => {
    turnsOf.set(op, (turnsOf.get(op) ?? new Set()).add(turnId))
  }
  for (const { op, turnId } of eventsOf(history, 'acknowledged')) add(op, turnId)
  for (const [turnId, own] of entries) for (const entry of own) add(opOf(entry) ?? -1, turnId)
  turnsOf.delete(-1)
  return [...turnsOf].filter(([, turns]) => turns.size > 1).map(([op, turns]) => `op ${op} is ${turns.size} turns`)
}

function endsOf(history: History, entries: ByTurn): string[] {
  const mayFail = new Set([
    ...eventsOf(history, 'asked').flatMap(({ op, task }) => (task === 'break' ? [op] : [])),
    ...eventsOf(history, 'broken').map(({ op }) => op),
  ])
  const callers = callsOfCallers(entries)
  const mayStop = new Set(eventsOf(history, 'left').map(({ op }) => op))
  const stopped = new Set(eventsOf(history, 'cancelled').map(({ turnId }) => turnId))
  const waiting = new Set(history.stored.turns.flatMap((turn) => (turn.status === 'waiting' ? [turn.threadId] : [])))
  const breach = ({ turnId, threadId, status }: StoredTurn): string | undefined => {
    const own = entries.get(turnId) ?? []
    // A turn that begins with the output of a caller's function goes on with the message of the call.
    const ops = own.flatMap((entry) => opOf(entry) ?? outputOf(entry, callers) ?? [])
    if (status === 'running') return 'still runs'
    if (status === 'queued') return waiting.has(threadId) ? undefined : 'is still queued'
    if (ops.length > 1) return `has ${ops.length} messages`
    const [op = -1] = ops
    if (status === 'failed') return mayFail.has(op) ? undefined : `op ${op} failed`
    if (status === 'cancelled') return mayStop.has(op) || stopped.has(turnId) ? undefined : `op ${op} was stopped`
    if (status === 'waiting') return undefined
    // A caller's function ends the turn: the reply comes with its output.
    if (own.some(({ item }) => item.type === 'gate' && item.kind === 'output')) return undefined
    const replies = said(own).flatMap((text) => repliedOp(text) ?? [])
    return replies.length === 1 && replies[0] === op
      ? undefined
      : `op ${op} has the replies to ${replies.join(', ') || 'none'}`
  }
  return history.stored.turns.flatMap((turn) => {
    const found = breach(turn)
    return found === undefined ? [] : [`turn ${turn.turnId}: ${found}`]
  })
}

/** The message of each call of a caller's function. */
function callsOfCallers(entries: ByTurn): Map<string, number> {
  return new Map(
    [...entries.values()].flatMap((own) => {
      const op = own.map(opOf).find((found) => found !== undefined) ?? -1
      return own.flatMap(({ item }) =>
        item.type === 'gate' && item.kind === 'output' ? [[item.callId, op] as const] : [],
      )
    }),
  )
}

function outputOf({ item }: Entry, callers: ReadonlyMap<string, number>): number | undefined {
  return item.type === 'answer' && item.decision === 'output' ? callers.get(item.callId) : undefined
}

/** Replies that a client read and that are not what is stored. */
function readsOf(history: History, entries: ByTurn): string[] {
  return eventsOf(history, 'answered').flatMap(({ op, turnId, text }) => {
    const own = entries.get(turnId)
    if (!own || said(own).at(-1) === text) return []
    return [`op ${op}: a client read ${JSON.stringify(text)}, stored is ${JSON.stringify(said(own).at(-1))}`]
  })
}
