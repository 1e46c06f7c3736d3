// The receipt of a turn: the record of what it did, made only from its stored entries and its row.
import { createDigest } from '#core/digest.ts'
import type { Entry, Result } from '#core/item.ts'
import type { UserId } from '#core/ids.ts'
import { readOldFences } from '#core/origins.ts'
import type { Store } from '#core/store.ts'
import type { Effects } from '#core/tool.ts'
import { type ModelCall, type Turn, usageSoFar } from '#core/turn.ts'
import { inPace } from '#lib/pace.ts'
import type { Marker } from '#safety/marks.ts'
import { type Note, notesOf } from '#safety/notes.ts'
import { entryPages, withoutTexts } from './turn-entries.ts'

export type Receipt = {
  readonly turn: Turn
  readonly modelCalls: readonly ModelCall[]
  readonly tools: readonly ToolUse[]
  readonly hosts: readonly string[]
  /** Names of secrets that went out with requests. */
  readonly secrets: readonly string[]
  readonly approvals: readonly Approval[]
  readonly notes: readonly Note[]
  /** Null when the price of a used model is unknown, and before a model has answered. */
  readonly costUsd: number | null
  /** Digest made when the turn ended. Absent for unfinished turns and for turns older than digests. */
  readonly hash?: string
  /** True when the stored entries still have that digest. */
  readonly verified: boolean
}

/** The answer to a gate. With a scope it allows more than the one call, up to `until`. */
type Approval = {
  readonly callId: string
  /** The kind of the gate. */
  readonly kind: 'approval' | 'credential' | 'input'
  readonly decision: 'allow' | 'deny'
  readonly by: string
  readonly at: number
  readonly scope?: 'tool' | 'target'
  readonly until?: number
}

/** A call with at least one attempt. */
export type ToolUse = {
  readonly callId: string
  readonly name: string
  readonly ok: boolean
  readonly ms: number
  /** Absent in results from before effects were recorded. */
  readonly effects?: Effects
  /** Source of a result from outside, which was fenced as data. */
  readonly origin?: string
  readonly hosts: readonly string[]
  readonly sent: NonNullable<Result['sent']>
}

/** Undefined when the user has no access to such a turn. */
export async function readReceipt(
  store: Pick<Store, 'turns' | 'threads'>,
  user: UserId,
  { turnId, marker }: { readonly turnId: string; readonly marker: Marker },
): Promise<Receipt | undefined> {
  const [turn, hash] = await Promise.all([store.turns.get(user, turnId), store.turns.hash(user, turnId)])
  if (!turn) return undefined
  const digest = createDigest()
  const entries: Entry[] = []
  const notes: Note[] = []
  for await (const page of entryPages(store, user, turn, { recorded: true })) {
    await inPace(digest.addInSlices(page))
    for (const { item } of page) notes.push(...(await inPace(notesOf(readOldFences(item), marker))))
    entries.push(...page.map(withoutTexts))
  }
  return receiptOf({ turn, entries, notes, digest: digest.hex(), ...(hash && { hash }) })
}

type ReceiptInput = {
  readonly turn: Turn
  /** With their texts removed. */
  readonly entries: readonly Entry[]
  readonly notes: readonly Note[]
  readonly digest: string
  readonly hash?: string
}

function receiptOf({ turn, entries, notes, digest, hash }: ReceiptInput): Receipt {
  const results = entries.flatMap(({ item }) => (item.type === 'result' ? [item] : []))
  return {
    turn,
    modelCalls: [...entries.flatMap(({ asked }) => asked ?? []), ...(turn.failedCalls ?? [])],
    tools: toolsIn(entries),
    hosts: unique(results.flatMap(({ hosts }) => hosts ?? [])),
    secrets: unique(results.flatMap(({ secrets }) => secrets ?? [])),
    approvals: approvalsIn(entries),
    notes,
    costUsd: usageSoFar(turn).costUsd,
    ...(hash !== undefined && { hash }),
    verified: hash !== undefined && hash === digest,
  }
}

/** Every attempted call, with the time from its last attempt to its result. */
function toolsIn(entries: readonly Entry[]): Receipt['tools'] {
  const names = new Map<string, string>()
  const attemptedAt = new Map<string, number>()
  return entries.flatMap(({ item, at }) => {
    if (item.type === 'call') names.set(item.callId, item.name)
    if (item.type === 'attempt') attemptedAt.set(item.callId, at)
    if (item.type !== 'result' || !attemptedAt.has(item.callId)) return []
    const { callId, error = false, effects, origin, hosts = [], sent = [] } = item
    const reach = { ...(effects && { effects }), ...(origin !== undefined && { origin }), hosts, sent }
    return [{ callId, name: names.get(callId) ?? '', ok: !error, ms: at - (attemptedAt.get(callId) ?? at), ...reach }]
  })
}

function approvalsIn(entries: readonly Entry[]): Receipt['approvals'] {
  const kinds = new Map<string, Approval['kind']>()
  return entries.flatMap(({ item, at }) => {
    if (item.type === 'gate' && item.kind !== 'output') kinds.set(item.callId, item.kind)
    if (item.type !== 'answer' || item.decision === 'output') return []
    const { callId, decision, by, scope, until } = item
    const kind = kinds.get(callId) ?? 'approval'
    return [{ callId, kind, decision, by, at, ...(scope && { scope }), ...(until !== undefined && { until }) }]
  })
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].sort()
}
