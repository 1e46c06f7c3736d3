// Answers gates: stores a person's decision as an answer item and, on request, a grant with it.
import { identityPaths, isIdentity } from '#core/document.ts'
import { AppError, wrongField } from '#core/errors.ts'
import { checkValues, type FormValues } from '#core/form.ts'
import { newId, type UserId } from '#core/ids.ts'
import type { Answer, Draft, Entry, Gate } from '#core/item.ts'
import type { NewGrant } from '#core/grant.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import { defaultMinutes, type Turn } from '#core/turn.ts'
import { dayMs } from '#core/time.ts'
import { reachOfGate } from '#safety/gate-question.ts'
import { covers, grantFor, type GrantRequest } from '#safety/grant-rules.ts'

/** How long a gate waits for an answer. */
export const gateMs = dayMs
/** Gates in one list. */
export const maxGates = 200
/** Answers in one list: more than anybody gives in a day. */
export const maxAnswered = 100

/** When a gate that was opened at a time ends at the latest. One that a server holds open ends with the time of its turn. */
export function gateEndsAt({ held }: Pick<Gate, 'held'>, at: number): number {
  return at + (held ? defaultMinutes * 60_000 : gateMs)
}

/** A decision on a gate. A `grantRequest` asks to allow the same from now on. */
export type GateAnswer = Pick<Answer, 'callId' | 'output' | 'by'> & {
  readonly decision: 'allow' | 'deny'
  readonly grantRequest?: GrantRequest
  /** Values entered at an `input` gate, not checked yet. */
  readonly values?: unknown
}

/** The only tools that the person who answers may use, and so may allow; all where it is absent. */
export type MayAllow = { readonly allowedTools?: readonly string[] | undefined }

export type Answered = { readonly turn: Turn; readonly entries: readonly Entry[]; readonly grant?: NewGrant }

type Parts = { readonly store: Pick<Store, 'turns'>; readonly now: () => number }

/**
 * Stores an answer, and a grant in the same transaction. Throws gate_closed, not_found, grant_refused when the call can
 * only be allowed once, and invalid_input that names the field when values do not fit: then no answer is stored.
 */
export async function answerGate(
  { store, now }: Parts,
  { user, threadId }: { user: UserId; threadId: string },
  { grantRequest, callId, decision, values: entered, ...rest }: GateAnswer,
): Promise<Answered> {
  // Without such a gate the store throws below.
  const open = entered !== undefined || grantRequest ? await findOpen(store, { user, threadId, callId }) : undefined
  const values = entered === undefined ? undefined : valuesFor(open?.gate, entered)
  const grant = open && grantRequest && grantOf(open.gate, grantRequest, now())
  const draft: Draft = {
    id: newId(),
    item: {
      type: 'answer',
      // Keep this order: the store reads the call and the decision from the beginning of the JSON.
      callId,
      decision,
      ...rest,
      ...(values && { values }),
      ...(grant && scopeOf(grant)),
    },
  }
  const { turn, entries } = await store.turns.answer(user, threadId, draft, grant)
  return { turn, entries, ...(grant && { grant }) }
}

/** For answers of the service itself: a gate that was answered first, or whose turn ended, is passed by. */
export function ignoreClosed(error: unknown): undefined {
  if (!(error instanceof AppError) || !['gate_closed', 'not_found'].includes(error.code)) throw error
}

function scopeOf({ target, until }: NewGrant): Pick<Answer, 'scope' | 'until'> {
  return { scope: target === undefined ? 'tool' : 'target', ...(until !== undefined && { until }) }
}

type GateRef = { readonly user: UserId; readonly threadId: string; readonly callId: string }

/**
 * Throws gate_closed for an expired gate: it is in no list, and cannot be allowed in the moment until it is denied. Throws
 * forbidden for a gate of a tool that the caller may not use, and by a caller with fewer tools for a change to an identity file
 * and for a grant that covers one.
 */
export async function checkMayAllow(
  { store, now }: Parts,
  ref: GateRef,
  { allowedTools, grantRequest }: MayAllow & { readonly grantRequest?: GrantRequest | undefined },
): Promise<void> {
  const open = await findOpen(store, ref)
  const { callId } = ref
  if (open === undefined) {
    // The store throws. A token with fewer tools must not get past it: the gate may be of any tool.
    if (allowedTools) throw new AppError('gate_closed', `nothing waits for an answer to ${callId} any more`)
    return
  }
  if (allowedTools) checkNarrowed(open.gate, { allowedTools, grantRequest, now: now() })
  if (open.at >= now() - gateMs) return
  throw new AppError('gate_closed', `nothing waits for an answer to ${callId} any more: it expired after 24 hours`)
}

type Narrowed = {
  readonly allowedTools: readonly string[]
  readonly grantRequest?: GrantRequest | undefined
  readonly now: number
}

/** Throws forbidden for what a caller with fewer tools may not allow. */
function checkNarrowed(gate: Gate, { allowedTools, grantRequest, now }: Narrowed): void {
  const { name } = gate
  if (!allowedTools.includes(name)) {
    const message = `this token may not use ${name}, so it cannot allow it: deny it, or answer with another token`
    throw new AppError('forbidden', message)
  }
  const reach = reachOfGate(gate)
  if (reach?.type !== 'path' || reach.in !== 'memory') return
  // Identity files are a part of every prompt, also of turns with more tools.
  const only = 'this token may use some tools only'
  if (isIdentity(reach.path))
    throw new AppError('forbidden', `${only}: deny the call on ${reach.path}, or answer with another token`)
  const grant = grantRequest && grantOf(gate, grantRequest, now)
  if (grant && identityPaths.some((path) => covers(grant, { name, reach: { ...reach, path } }, now)))
    throw new AppError('forbidden', `${only}: allow the call once or for its file, or answer with another token`)
}

async function findOpen(
  { turns }: Pick<Store, 'turns'>,
  { user, threadId, callId }: GateRef,
): Promise<OpenGate | undefined> {
  const [open] = await turns.openGates(user, { threadId, callId, limit: 1 })
  return open
}

/** The checked values for a gate. For one of another kind the store throws. */
function valuesFor(gate: Gate | undefined, entered: unknown): FormValues {
  if (!gate?.input) return {}
  const checked = checkValues(gate.input, entered)
  if ('values' in checked) return checked.values
  const { field, problem } = checked
  if (field === '') throw wrongField('values', problem)
  // A person knows the field by its title, a program by `param`.
  const fields = gate.input.type === 'form' ? gate.input.fields : []
  const label = fields.find(({ name }) => name === field)?.title ?? field
  throw new AppError('invalid_input', `${label} ${problem}`, { param: `values.${field}` })
}

/** The requested grant for an open gate. */
function grantOf(gate: Gate, grantRequest: GrantRequest, now: number): NewGrant {
  if (gate.kind !== 'approval') throw new AppError('grant_refused', 'only an approval can be given for longer')
  if (gate.once) throw new AppError('grant_refused', `${gate.name} asks each time: it can only be allowed once`)
  const call = { name: gate.name, reach: reachOfGate(gate) }
  const grant = grantFor(call, grantRequest, { now, taint: gate.taint })
  if (typeof grant === 'string') throw new AppError('grant_refused', grant)
  return grant
}
