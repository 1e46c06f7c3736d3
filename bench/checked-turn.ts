// A whole turn with and without safety checks: a question, a tool result with a page of 4 KB, an answer. It uses the
// real loop, runner and store (in memory); only the model is fake.
import { defaultBounds } from '#agent/turn-limits.ts'
import { createHistories } from '#agent/history.ts'
import { newId, userId } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import type { Tool } from '#core/tool.ts'
import { noUsage } from '#core/turn.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { createFence } from '#safety/fence.ts'
import type { Marker } from '#safety/marks.ts'
import { createJudge } from '#safety/policy.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { openStore } from '#store/open-store.ts'
import { createRunner } from '#turns/runner.ts'
import { createSpend } from '#turns/spend.ts'
import { createTurns } from '#turns/turns.ts'

export type CheckedParts = {
  readonly page: string
  readonly answer: string
  /** Without them, the policy is off too. Fences and digests are always on. */
  readonly checks?: { readonly marker: Marker; readonly scan: LeakScan }
}

/** Makes a function that runs one turn to its end. */
export async function openTurn({ page, answer, checks }: CheckedParts): Promise<() => Promise<void>> {
  const store = openStore({ path: ':memory:', seal: createSeal('0'.repeat(64)) })
  const bus = createLocalBus()
  const user = userId('bench')
  let turn = 0
  const fetch: Tool = {
    spec: { name: 'web_fetch', description: 'Fetches a page.', parameters: { type: 'object' } },
    effects: 'read',
    repeatable: true,
    untrusted: true,
    // A new text each time, since a marker caches the last one.
    run: () => Promise.resolve(`${page}${turn++}`),
  }
  const model: Model = {
    provider: 'bench',
    name: 'bench',
    window: 0,
    // oxlint-disable-next-line require-await -- a stream by its type
    async *stream({ items }) {
      const call = { type: 'call', name: 'web_fetch', args: '{"url":"https://mill.example/"}' } as const
      const output = items.at(-1)?.type === 'result' ? ({ type: 'text', text: answer } as const) : call
      yield [output, { type: 'done', usage: noUsage }]
    },
  }
  const { marker, scan } = checks ?? {}
  const tools = { byName: new Map([['web_fetch', fetch]]), specs: [fetch.spec] }
  const runner = createRunner({
    store,
    bus,
    lease: await store.leases.join(newId()),
    log: silentLog,
    histories: createHistories({
      threads: store.threads,
      fence: createFence(new Uint8Array(32)),
      ...(marker && { marker: () => marker }),
    }),
    model: () => Promise.resolve(model),
    tools: () => tools,
    judge: marker && scan ? createJudge({ marker: () => marker, scan: () => scan }) : () => ({ do: 'allow' }),
    ...(marker && { marker: () => marker }),
    ...(scan && { mask: (text: string) => scan.mask(text) }),
    bounds: defaultBounds,
    spend: createSpend({ store, caps: () => ({}) }),
    maxRunning: 10,
  })
  const turns = createTurns({ store, bus, runner })
  const input = [textMessage('user', 'When does the mill at https://mill.example/ open?')]
  return async () => {
    const { events } = await turns.start({ user, door: 'responses', input, options: {}, whenBusy: 'refuse' })
    for await (const _ of events);
  }
}
