// A terminal without a screen, and a client whose thread can be told what happens in it: for what needs no keys of tmux.
import { type Terminal, TuiAltScreen } from '@earendil-works/pi-tui'
import type { Entry, Item } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import type { TurnStatus } from '#core/turn-status.ts'
import { type App, type AppParts, createApp } from '#doors/terminal/terminal-app.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { createQueue, type Queue } from '#lib/queue.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { Watched } from '#turns/watch.ts'
import { until } from '../../turns/house.ts'

export const threadId = 'thread'
const maxWaiting = 100_000

export function fakeTerminal(columns = 80, rows = 24): Terminal {
  const nothing = (): void => {}
  return {
    columns,
    rows,
    kittyProtocolActive: false,
    start: nothing,
    stop: nothing,
    drainInput: () => Promise.resolve(),
    write: nothing,
    moveBy: nothing,
    hideCursor: nothing,
    showCursor: nothing,
    clearLine: nothing,
    clearFromCursor: nothing,
    clearScreen: nothing,
    setTitle: nothing,
    setProgress: nothing,
  }
}

/** An entry of a turn of its own, unless one is named. */
export function entry(seq: number, item: Item, turnId = `turn ${seq}`): Entry {
  return { id: `item ${seq}`, seq, turnId, at: seq * 1_000, item }
}

export function turn(id: string, status: TurnStatus, more: Partial<Turn> = {}): Turn {
  const user = 'operator' as Turn['userId']
  const fixed = { threadId, userId: user, door: 'terminal', options: {}, createdAt: 0, usage: noUsage } as const
  return { id, status, ...fixed, ...more }
}

/** A client that knows one thread, in which nothing happens. */
export function clientOf(own: Partial<OperatorClient>): OperatorClient {
  const quiet = createQueue<never>(1)
  const thread = {
    ...turn('t', 'completed'),
    id: threadId,
    title: 'A thread',
    lastSeq: 0,
    updatedAt: 0,
    state: 'idle' as const,
  }
  return {
    send: () => Promise.resolve({ threadId, turnId: 'sent', queued: false }),
    cancel: () => Promise.resolve(),
    editQueued: () => Promise.resolve(),
    removeQueued: () => Promise.resolve(),
    stopAll: () => Promise.resolve({ removed: 0, stopped: false }),
    answer: () => Promise.resolve(turn('sent', 'running')),
    thread: () => Promise.resolve({ ...thread, turns: [], queued: [] }),
    threads: () => Promise.resolve([thread]),
    gates: () => Promise.resolve([]),
    receipt: () => Promise.resolve(undefined),
    login: () => Promise.resolve(undefined),
    status: () =>
      Promise.resolve({
        provider: 'p',
        model: 'm',
        skippedModels: [],
        skills: [],
        costToday: { costUsd: 0, unpricedCalls: 0 },
        doors: [],
      }),
    models: () => Promise.resolve([]),
    setModel: () => Promise.resolve(),
    tools: () => Promise.resolve([]),
    memory: () => Promise.resolve([]),
    skills: () => Promise.resolve([]),
    missions: () => Promise.resolve({ missions: [], next_cursor: null }),
    notifications: () => Promise.resolve([]),
    follow: () => quiet,
    watch: () => quiet,
    changes: () => quiet,
    ...own,
  }
}

export type Staged = {
  readonly app: App
  readonly tui: TuiAltScreen
  readonly tell: (events: readonly Watched[]) => void
}

/** The app with a thread open; what is told reaches it as from a service. */
export async function stage(
  columns?: number,
  rows?: number,
  own: Partial<OperatorClient> = {},
  parts: Partial<AppParts> = {},
): Promise<Staged> {
  const events: Queue<readonly Watched[]> = createQueue(maxWaiting)
  const client = clientOf({
    async *watch() {
      for await (const batches of events) for (const batch of batches) yield batch
    },
    ...own,
  })
  const tui = new TuiAltScreen(fakeTerminal(columns, rows), false, undefined, { mouse: false })
  const app = createApp({
    tui,
    client,
    theme: createTheme({ colour: true, utf8: true }),
    location: 'here',
    greeting: [],
    chooseModel: () => Promise.resolve(''),
    readFile: (name) => Promise.resolve({ name, size: 3, part: { type: 'file', name, text: 'abc' } }),
    listPaths: () => Promise.resolve([]),
    now: () => 0,
    quit() {},
    suspend() {},
    ...parts,
  })
  tui.addChild({ render: (width) => app.render(width), invalidate() {} })
  tui.start()
  app.press('x')
  app.press('\r')
  await until(() => app.threadId() !== undefined).catch((error: unknown) => {
    // Its timers would keep the process alive.
    app.close()
    throw error
  })
  return { app, tui, tell: (batch) => void events.push([batch]) }
}
