// The app under the doors of the tests: a real SQLite store, runner and loop, and a model that the test speaks for.
import type { OfferedModels } from '#core/admin.ts'
import { defaultBounds } from '#agent/turn-limits.ts'
import { createHistories } from '#agent/history.ts'
import type { Bus } from '#core/bus.ts'
import { newId } from '#core/ids.ts'
import { type Item, type Message, textOf } from '#core/item.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import type { Store } from '#core/store.ts'
import type { Tool } from '#core/tool.ts'
import { noUsage } from '#core/turn.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { createDocuments, type Documents } from '#memory/documents.ts'
import { createIdentity } from '#memory/identity.ts'
import { createMarker } from '#safety/marks.ts'
import { createJudge } from '#safety/policy.ts'
import { createSkills, type Skills } from '#skills/skills.ts'
import { loadTyped } from '#skills/slash.ts'
import { createSkillTools } from '#skills/tools.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { openStore } from '#store/open-store.ts'
import { createGates, type Gates } from '#turns/gates.ts'
import { createGrants } from '#turns/grant-cache.ts'
import { createRunner, type Runner } from '#turns/runner.ts'
import { createSpend } from '#turns/spend.ts'
import { createThreads, type Threads } from '#turns/threads.ts'
import type { Observer } from '#turns/turn-metrics.ts'
import { createTurns, type Turns } from '#turns/turns.ts'
import { toolsOf } from '../agent/tools.ts'
import { openMemoryStore } from '../store/memory-store.ts'
import { patienceMs, until } from '../until.ts'
import { fence } from '../safety/test-fence.ts'

/** What a test's model says to a request. It may wait for the signal. */
export type Say = (request: ModelRequest, signal: AbortSignal) => Promise<ModelEvent[]> | ModelEvent[]

export type TestAppOptions = {
  readonly say?: Say
  readonly model?: Model
  readonly tools?: readonly Tool[]
  /** Tools over the documents of the app. */
  readonly toolsOf?: (documents: Documents) => readonly Tool[]
  readonly now?: () => number
  /** The database's file; without one it is in memory. */
  readonly path?: string
  /** The storage quota of a user. */
  readonly maxUserBytes?: number
  /** How many turns run at once. */
  readonly room?: number
  /** Changes the store as the app sees it. */
  readonly wrapStore?: (store: Store) => Store
  readonly wrapBus?: (bus: Bus) => Bus
  readonly observer?: Observer
  /** The models that can be chosen for a thread. */
  readonly models?: Pick<OfferedModels, 'names'>
}

export type TestApp = {
  readonly store: Store
  readonly bus: Bus
  readonly runner: Runner
  readonly turns: Turns
  readonly threads: Threads
  readonly gates: Gates
  readonly documents: Documents
  readonly skills: Skills
  /** Stops what runs; the doors must be closed already, or close at the same time. */
  close(graceMs?: number): Promise<void>
}

export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { now, path, room, wrapStore = (store) => store, wrapBus = (bus) => bus } = options
  const quota = options.maxUserBytes === undefined ? {} : { maxUserBytes: options.maxUserBytes }
  const parts = { seal: createSeal('0'.repeat(64)), ...(now && { now }), ...quota }
  const store = wrapStore(path === undefined ? openMemoryStore(parts) : openStore({ path, ...parts }))
  const bus = wrapBus(createLocalBus())
  const identity = createIdentity({ store: store.documents })
  const documents = createDocuments({ store: store.documents, onWrite: (user) => identity.forget(user) })
  const tools = [...(options.tools ?? []), ...(options.toolsOf?.(documents) ?? [])]
  const model = options.model ?? modelOf(options.say ?? echo)
  const lease = await store.leases.join(newId())
  const skills = createSkills({ store: store.skills, marker: () => marker })
  const { reading, creating } = createSkillTools(skills)
  const toolSet = toolsOf(tools)
  const withSkills = toolsOf([...tools, ...reading, creating])
  const grants = createGrants({ store: store.grants, ...(now && { now }) })
  bus.onSignal((signal) => {
    if (signal.type === 'grants') grants.forget(signal.user)
  })
  const runner = createRunner({
    judge: createJudge({
      grants: (user) => grants.of(user),
      onGrantUsed: (user, grant, call) => grants.used(user, grant, call),
      ...(now && { now }),
    }),
    grants,
    identity: (user) => identity.partsFor(user),
    store,
    bus,
    histories: createHistories({ threads: store.threads, fence }),
    model: () => Promise.resolve(model),
    skills: (user) => skills.catalogue(user),
    tools: (user) => (skills.known(user).length > 0 ? withSkills : toolSet),
    lease,
    bounds: defaultBounds,
    spend: createSpend({ store, caps: () => ({ perTurn: 5 }) }),
    log: silentLog,
    ...(options.observer && { observer: options.observer }),
    maxRunning: room ?? 1_000,
  })
  const isOffered = (name: string): boolean => options.models?.names().includes(name) ?? false
  await store.turns.recover(lease)
  return {
    store,
    bus,
    runner,
    turns: createTurns({
      store,
      bus,
      runner,
      loadSkill: (user, text) => loadTyped(skills, user, text),
      isOffered,
      ...(options.observer && { observer: options.observer }),
    }),
    threads: createThreads({ store, bus, isOffered }),
    gates: createGates({ store, bus, ...(now && { now }) }),
    documents,
    skills,
    async close(graceMs = 0) {
      await runner.drain(graceMs)
      await bus.close()
      await store.close()
    },
  }
}

const marker = createMarker()

/** Asks again until the answer is one; fails when none comes. The first look comes soon after. */
export async function eventually<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  let answer: T | undefined | false
  await until(async () => (answer = await ask()) !== undefined && answer !== false, patienceMs, 1)
  return answer as T
}

/** A reply of one text. */
export function says(text: string): ModelEvent[] {
  return [
    { type: 'text', text },
    { type: 'done', usage: { ...noUsage, inputTokens: 3, outputTokens: 2, costUsd: 0.25 } },
  ]
}

/** A reply of one call. */
export function calls(name: string, args: object): ModelEvent[] {
  return [
    { type: 'call', name, args: JSON.stringify(args) },
    { type: 'done', usage: noUsage },
  ]
}

/** Says back what the user said last. */
export const echo: Say = ({ items }) => says(`you said: ${userTexts(items).at(-1) ?? ''}`)

export function userTexts(items: readonly Item[]): string[] {
  const isUser = (item: Item): item is Message => item.type === 'message' && item.role === 'user'
  return items.filter(isUser).map(textOf)
}

/** A model that waits for a word of the test. */
export function createHold(): { say: Say; asked: Promise<void>; release: (text: string) => void } {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<string>()
  return {
    asked,
    release,
    async say(_request, signal) {
      ask()
      const aborted = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      })
      return says(await Promise.race([released, aborted]))
    },
  }
}

/** A tool that needs an approval. */
export function createWriter(ran: unknown[]): Tool {
  return {
    spec: { name: 'write_note', description: 'Writes a note', parameters: { type: 'object' } },
    effects: 'write',
    repeatable: false,
    untrusted: false,
    run(args) {
      ran.push(args)
      return Promise.resolve('written')
    },
  }
}

function modelOf(say: Say): Model {
  return {
    provider: 'test',
    name: 'test-1',
    window: 100_000,
    async *stream(request, signal) {
      yield await say(request, signal)
    },
  }
}
