// A whole house without doors: real store, bus, runner and turns; only the model is a script.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Bounds, defaultBounds } from '#agent/turn-limits.ts'
import { createHistories } from '#agent/history.ts'
import type { Bus } from '#core/bus.ts'
import type { Event } from '#core/event.ts'
import { type Item, textMessage, textOf } from '#core/item.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import type { Judge } from '#core/policy.ts'
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import type { Tool } from '#core/tool.ts'
import { type Log, silentLog } from '#lib/log.ts'
import type { Marker } from '#safety/marks.ts'
import { createJudge } from '#safety/policy.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { createGates, type Gates } from '#turns/gates.ts'
import { createGrants } from '#turns/grant-cache.ts'
import { createRunner, type Runner, type RunnerParts } from '#turns/runner.ts'
import { type Caps, createSpend } from '#turns/spend.ts'
import { createThreads, type Threads } from '#turns/threads.ts'
import type { Observer } from '#turns/turn-metrics.ts'
import { createTurns, type StartTurn, type Turns } from '#turns/turns.ts'
import { openTestStore } from '../agent/bench.ts'
import { type Saying, saying, type Script, tool, toolsOf } from '../agent/tools.ts'
import { ada, lease } from '../store/harness.ts'
import { patienceMs } from '../until.ts'
import { fence } from '../safety/test-fence.ts'

export type House = {
  readonly store: Store
  readonly bus: Bus
  readonly runner: Runner
  readonly turns: Turns
  readonly threads: Threads
  readonly gates: Gates
  readonly lease: Lease
  /** Subscriptions that nobody has closed. */
  readonly watchers: () => number
  /** What the model was asked, as the texts of each prompt. */
  readonly asked: string[][]
}

export type HouseParts = {
  /** What the model says to the last message; the text of the message, echoed, when nothing is given. */
  readonly reply?: (text: string, request: ModelRequest) => readonly Saying[] | Script
  readonly model?: () => Promise<Model>
  readonly store?: Store
  /** The store as the runner sees it. */
  readonly runnerStore?: (store: Store) => Pick<Store, 'turns'>
  readonly tools?: readonly Tool[]
  readonly limit?: number
  readonly lease?: Lease
  readonly bounds?: Partial<Bounds>
  readonly caps?: Caps
  readonly bus?: (bus: Bus) => Bus
  readonly judge?: Judge
  readonly identity?: NonNullable<RunnerParts['identity']>
  readonly log?: Log
  readonly observer?: Observer
  readonly mask?: RunnerParts['mask']
  readonly marker?: () => Marker
  /** The time of gates; the store has its own. */
  readonly now?: () => number
}

export const tools: readonly Tool[] = [
  tool('read'),
  tool('once', { repeatable: false }),
  tool('write', { effects: 'write', repeatable: false }),
]

/** Opens a house that is drained, and found without a leaked subscription, after the test. */
export function openHouse(t: TestContext, parts: HouseParts = {}): House {
  const store = parts.store ?? openTestStore(t)
  const asked: string[][] = []
  let open = 0
  const local = createLocalBus()
  const counted: Bus = {
    ...local,
    subscribe(threadId, from) {
      const subscription = local.subscribe(threadId, from)
      let closed = false
      open++
      return {
        ...subscription,
        [Symbol.asyncIterator]: subscription[Symbol.asyncIterator],
        close() {
          if (!closed) open--
          closed = true
          subscription.close()
        },
      }
    },
  }
  const bus = parts.bus?.(counted) ?? counted
  const { byName, specs } = toolsOf(parts.tools ?? tools)
  const ours = parts.lease ?? lease
  const grants = createGrants({ store: store.grants })
  bus.onSignal((signal) => {
    if (signal.type === 'grants') grants.forget(signal.user)
  })
  const spend = createSpend({ store, caps: () => parts.caps ?? { perTurn: 5 } })
  const runner = createRunner({
    judge: parts.judge ?? createJudge({ grants: (user) => grants.of(user) }),
    grants,
    ...(parts.identity && { identity: parts.identity }),
    ...(parts.mask && { mask: parts.mask }),
    ...(parts.marker && { marker: parts.marker }),
    ...(parts.observer && { observer: parts.observer }),
    store: { ...store, ...parts.runnerStore?.(store) },
    bus,
    histories: createHistories({ threads: store.threads, fence }),
    model: parts.model ?? (() => Promise.resolve(modelOf(parts.reply ?? ((text) => [`echo ${text}`]), asked))),
    tools: () => ({ byName, specs }),
    lease: ours,
    bounds: { ...defaultBounds, ...parts.bounds },
    spend,
    log: parts.log ?? silentLog,
    maxRunning: parts.limit ?? 1_000,
  })
  t.after(async () => {
    await runner.drain(0)
    await bus.close()
    assert.equal(open, 0, 'every subscription is closed')
  })
  const { observer, mask } = parts
  const turns = createTurns({ store, bus, runner, spend, ...(observer && { observer }), ...(mask && { mask }) })
  const threads = createThreads({ store, bus })
  const gates = createGates({ store, bus, ...(parts.now && { now: parts.now }) })
  return { store, bus, runner, turns, threads, gates, lease: ours, watchers: () => open, asked }
}

function modelOf(reply: (text: string, request: ModelRequest) => readonly Saying[] | Script, asked: string[][]): Model {
  return {
    provider: 'test',
    name: 'test',
    window: 100_000,
    stream(request, signal) {
      const texts = request.items.flatMap((item) => (item.type === 'message' ? [textOf(item)] : []))
      asked.push(texts)
      const said = request.items.findLast((item) => item.type === 'message' && item.role === 'user')
      const script = reply(said?.type === 'message' ? textOf(said) : '', request)
      return typeof script === 'function' ? script(request, signal) : saying(script)(request, signal)
    },
  }
}

/** A message as a door sends it. */
export function message(text: string, over: Partial<StartTurn> = {}): StartTurn {
  return { user: ada, door: 'web', input: [textMessage('user', text)], options: {}, whenBusy: 'queue', ...over }
}

export async function eventsOf(events: AsyncIterable<readonly Event[]>): Promise<Event[]> {
  return (await Array.fromAsync(events)).flat()
}

/** The status a turn came to rest with. */
export function restOf(events: readonly Event[]): string | undefined {
  return events.findLast((event) => event.type === 'turn')?.turn.status
}

/** A reply that says a word and then holds until it is let go or stopped. */
export function createHeldReply() {
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const script: Script = async function* (_, signal) {
    yield [{ type: 'text', text: 'So far' }]
    tell()
    const { promise: aborted, reject } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    if (signal.aborted) reject(signal.reason as Error)
    await Promise.race([free, aborted])
    yield [{ type: 'text', text: ', and more' }]
  }
  return { script, told, letGo }
}

export async function textsOf(store: Store, threadId: string): Promise<string[]> {
  const { entries } = await store.threads.entries(ada, threadId, { after: 0, limit: 10_000 })
  entries.forEach(({ seq }, at) => assert.equal(seq, at + 1))
  return entries.map(({ item }) => wordOf(item))
}

function wordOf(item: Item): string {
  if (item.type === 'message') return textOf(item)
  return item.type === 'result' ? `result: ${item.output}` : item.type
}

/** Lets everything that is ready happen. */
export async function turnOver(times = 5): Promise<void> {
  for (let at = 0; at < times; at++) await new Promise(setImmediate)
}

/** Waits until something is true, by way of what the process has to do anyway. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    if (await holds()) return
    await turnOver(1)
  }
  assert.fail('what was waited for did not come')
}
