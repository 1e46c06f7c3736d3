// Runs one turn of the loop over a real store, step by step, the way the runner does.
import type { TestContext } from 'node:test'
import { type Bounds, defaultBounds } from '#agent/turn-limits.ts'
import { createHistories, type Histories } from '#agent/history.ts'
import type { History } from '#agent/history-prompt.ts'
import { runTurn } from '#agent/loop.ts'
import { createMeter, type Meter } from '#agent/tokens.ts'
import type { Toolbox } from '#agent/toolbox.ts'
import type { Delta } from '#core/event.ts'
import type { Item } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import type { NewTurn, StartedTurn, Step } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { createSpend } from '#turns/spend.ts'
import { fence } from '../safety/test-fence.ts'
import { itemsOf, lease, turnOf } from '../store/harness.ts'
import { runParts, toolboxOf } from './tools.ts'
import { openMemoryStore } from '../store/memory-store.ts'

export type Run = {
  readonly store: Store
  readonly steps: Step[]
  readonly deltas: Delta[]
  /** Faults of our own that were reported. */
  readonly faults: unknown[]
  readonly turn: Turn
  readonly history: History
  readonly items: Item[]
}

export type RunParts = {
  readonly model: Model
  readonly toolbox?: Toolbox
  readonly bounds?: Partial<Bounds>
  readonly meter?: Meter
  readonly signal?: AbortSignal
  readonly store?: Store
  readonly histories?: Histories
  readonly started?: StartedTurn
  readonly given?: Partial<NewTurn>
  /** Called before a step is recorded. */
  readonly onStep?: (step: Step, turn: Turn) => void | Promise<void>
}

export function openTestStore(t: TestContext, now: () => number = Date.now): Store {
  const store = openMemoryStore({ now })
  t.after(() => store.close())
  return store
}

/** Starts a turn (or takes the one given) and carries it to its rest, or to what the loop throws. */
export async function runOne(t: TestContext, parts: RunParts): Promise<Run> {
  const store = parts.store ?? openTestStore(t)
  const histories = parts.histories ?? createHistories({ threads: store.threads, fence })
  const started = parts.started ?? (await store.turns.start(turnOf(parts.given)))
  let { turn } = started
  const history = await histories.open(started)
  const steps: Step[] = []
  const deltas: Delta[] = []
  const faults: unknown[] = []
  const loop = runTurn({
    turn,
    history,
    model: parts.model,
    toolbox: parts.toolbox ?? toolboxOf(),
    system: 'You are a test.',
    bounds: { ...defaultBounds, ...parts.bounds },
    meter: parts.meter ?? createMeter(),
    reserve: (call) => createSpend({ store, caps: () => ({ perTurn: 5 }) }).reserve(turn, lease, call),
    signal: parts.signal ?? new AbortController().signal,
    room: { grow: () => undefined },
    mask: runParts.mask,
    answerTo: runParts.answerTo,
    emit: (batch) => deltas.push(...batch.filter((event) => event.type === 'delta')),
    report: (fault) => faults.push(fault),
  })
  for await (const step of loop) {
    await parts.onStep?.(step, turn)
    const recorded = await store.turns.record(turn, lease, step)
    await histories.extend(turn, history, recorded.entries)
    turn = recorded.turn
    steps.push(step)
  }
  return { store, steps, deltas, faults, turn, history, items: await itemsOf(store, turn) }
}
