// What the store's tests share: a fresh store with a clock of its own, and the few turns and items they speak of.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { AppError, ErrorCode } from '#core/errors.ts'
import { newId, type UserId, userId } from '#core/ids.ts'
import { type Draft, type Gate, type Item, textMessage } from '#core/item.ts'
import type { Lease } from '#core/lease.ts'
import type { NewTurn, Outcome, Step } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import { noUsage, type Turn } from '#core/turn.ts'

export type Clock = { now: number }
export type Opened = { readonly store: Store; readonly clock: Clock }
/** Opens a store with nothing in it, and `maxForkBytes`, for one test. */
export type Open = (t: TestContext, over?: { readonly maxUserBytes: number }) => Promise<Opened>

export const ada: UserId = userId('ada')
export const bob: UserId = userId('bob')
export const lease: Lease = { owner: 'one', epoch: 1 }
export const other: Lease = { owner: 'two', epoch: 1 }
export const minuteMs = 60_000
export const maxForkBytes = 1024 * 1024
export const dayMs = 24 * 60 * minuteMs

/** A folder of the test's own. */
export function folder(t: { after(remove: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'atrium-store-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export function draft(item: Item): Draft {
  return { id: newId(), item }
}

export function say(text: string): Draft {
  return draft(textMessage('user', text))
}

export function reply(text: string): Draft {
  return draft(textMessage('assistant', text))
}

export function call(callId: string, name = 'act'): Draft {
  return draft({ type: 'call', callId, name, args: '{}' })
}

export function gate(callId: string, kind: Gate['kind']): Draft {
  return draft({ type: 'gate', callId, kind, name: 'act', args: '{}', prompt: '?' })
}

export function output(callId: string, text = 'out'): Draft {
  return draft({ type: 'answer', callId, decision: 'output', output: text, by: 'ada' })
}

export function decide(callId: string, decision: 'allow' | 'deny' = 'allow'): Draft {
  return draft({ type: 'answer', callId, decision, by: 'ada' })
}

/** A turn of Ada's that starts at once where it can. */
export function turnOf(over: Partial<NewTurn> = {}): NewTurn {
  return {
    user: ada,
    door: 'web',
    title: 'hello',
    input: [say('hello')],
    options: {},
    whenBusy: 'queue',
    lease,
    ...over,
  }
}

/** The same turn for a process without room: it is queued. */
export function queuedTurn(over: Partial<NewTurn> = {}): NewTurn {
  const { lease: _, ...rest } = turnOf(over)
  return rest
}

export function step(drafts: readonly Draft[], outcome?: Outcome): Step {
  return { drafts, usage: noUsage, ...(outcome && { outcome }) }
}

export async function finish(store: Store, turn: Turn, by: Lease = lease): Promise<Turn> {
  return (await store.turns.record(turn, by, step([reply('done')], { status: 'completed' }))).turn
}

/** A thread whose turn is done and whose caller has to run `c1` (and, after it, `c2`). */
export async function threadAtGate(store: Store, over: Partial<NewTurn> = {}): Promise<Turn> {
  const { turn } = await store.turns.start(turnOf(over))
  const drafts = [call('c1'), call('c2'), gate('c1', 'output')]
  return (await store.turns.record(turn, lease, step(drafts, { status: 'completed' }))).turn
}

/** A turn that waits for approvals of `a1` and `a2`. */
export async function turnAtApproval(store: Store, over: Partial<NewTurn> = {}): Promise<Turn> {
  const { turn } = await store.turns.start(turnOf(over))
  const drafts = [call('a1'), call('a2'), gate('a1', 'approval'), gate('a2', 'approval')]
  return (await store.turns.record(turn, lease, step(drafts, { status: 'waiting' }))).turn
}

export async function itemsOf(store: Store, turn: Pick<Turn, 'threadId' | 'userId'>): Promise<Item[]> {
  const { entries } = await store.threads.entries(turn.userId, turn.threadId, { after: 0, limit: 10_000 })
  entries.forEach(({ seq }, at) => assert.equal(seq, at + 1, 'seq counts from 1 without gaps'))
  return entries.map(({ item }) => item)
}

export function rejectsWith(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  return assert.rejects(work, (error: AppError) => {
    assert.equal(error.code, code, error.stack ?? '')
    return true
  })
}

/** Everything the store says of a thread, to tell that nothing changed. */
export async function pictureOf(store: Store, turn: Turn): Promise<unknown> {
  return {
    thread: await store.threads.get(turn.userId, turn.threadId),
    items: await itemsOf(store, turn),
    turns: await store.turns.list(turn.userId, { limit: 100 }),
  }
}
