// A small service with one conversation: it takes three messages, or carries on with those that it has, until all are done.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultBounds } from '#agent/turn-limits.ts'
import { createHistories } from '#agent/history.ts'
import { newId, operator } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import type { Step } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Tool } from '#core/tool.ts'
import { noUsage } from '#core/turn.ts'
import { ended } from '#core/turn-status.ts'
import { lockHome, masterKey, openHome } from '#home.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { createJudge } from '#safety/policy.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { openStore } from '#store/open-store.ts'
import { createRunner } from '#turns/runner.ts'
import { createSpend } from '#turns/spend.ts'
import { createTurns } from '#turns/turns.ts'
import { fence } from '../safety/test-fence.ts'
import { until } from '../until.ts'

type Work = {
  readonly home: string
  /** Where the process dies, if it does; `reached` is told each point, and kills it there. */
  readonly dies?: string
  readonly reached: (point: string) => void
  /** With it the messages are sent first. From its call on, a message must not be lost. */
  readonly acknowledged?: (turnId: string) => void
}

export async function work({ home: path, dies, reached, acknowledged }: Work): Promise<void> {
  const home = openHome(path)
  const unlock = lockHome(home)
  if (!unlock) throw new Error('the home is locked')
  const store = noting(openStore({ path: home.database, seal: createSeal(masterKey(home, undefined)) }), reached)
  const tools = ['pay', 'look'].map((name) => toolOf(name, { path, dies, reached }))
  const lease = { owner: newId(), epoch: 1 }
  const bus = createLocalBus()
  const runner = createRunner({
    judge: createJudge(),
    store,
    bus,
    lease,
    log: silentLog,
    histories: createHistories({ threads: store.threads, fence }),
    model: () => Promise.resolve(modelOf(reached)),
    tools: () => ({
      byName: new Map(tools.map((each) => [each.spec.name, each])),
      specs: tools.map(({ spec }) => spec),
    }),
    bounds: defaultBounds,
    spend: createSpend({ store, caps: () => ({ perTurn: 5 }) }),
    maxRunning: 1_000,
  })
  const turns = createTurns({ store, bus, runner })
  await store.turns.recover(lease)
  runner.wake()
  for (const text of acknowledged ? ['one', 'two', 'three'] : []) {
    const { turn, events } = await turns.start({
      user: operator,
      door: 'run',
      threadKey: 'crash',
      input: [textMessage('user', text)],
      options: {},
      whenBusy: 'queue',
    })
    events.close()
    acknowledged?.(turn.id)
    reached('message acknowledged')
  }
  await until(async () => (await turns.list(operator, { limit: 100 })).rows.every(({ status }) => ended(status)))
  await runner.drain(0)
  await store.close()
  unlock()
}

/** A store that tells which points were reached. */
function noting(store: Store, reached: Work['reached']): Store {
  const { turns } = store
  return {
    ...store,
    turns: {
      ...turns,
      async start(turn) {
        const stored = await turns.start(turn)
        reached('message committed')
        return stored
      },
      async claim(lease, limit) {
        const claimed = await turns.claim(lease, limit)
        if (claimed.started.length > 0) reached('claimed')
        return claimed
      },
      async record(turn, lease, step) {
        const recorded = await turns.record(turn, lease, step)
        reached(pointOf(step))
        return recorded
      },
    },
  }
}

/** The point a stored step has reached. */
function pointOf({ drafts, outcome }: Step): string {
  const types = drafts.map(({ item }) => item.type)
  if (outcome) return 'settled'
  if (types.includes('call')) return 'response appended'
  if (types.includes('attempt')) return 'attempt recorded'
  return types.includes('result') ? 'result appended' : 'step'
}

/** Calls both tools, then answers with what they said. */
function modelOf(reached: Work['reached']): Model {
  return {
    provider: 'test',
    name: 'test',
    window: 1_000,
    async *stream({ items }) {
      const last = items.at(-1)
      if (last?.type === 'result') {
        yield [{ type: 'text', text: 'Done' }]
        reached('mid-stream')
        const results = items.filter((item) => item.type === 'result').slice(-2)
        yield [{ type: 'text', text: `: ${results.map(({ output }) => output).join(' | ')}` }]
      } else {
        yield [{ type: 'text', text: 'Let me see.' }]
        reached('mid-first-stream')
        yield [
          { type: 'call', name: 'pay', args: '{"sum":1}' },
          { type: 'call', name: 'look', args: '{}' },
        ]
      }
      yield [{ type: 'done', usage: noUsage }]
    },
  }
}

/** Notes its effect in a file. Only a look may be repeated. */
function toolOf(
  name: string,
  { path, dies, reached }: { path: string; dies: string | undefined; reached: Work['reached'] },
): Tool {
  const effects = (of: string): string => join(path, `${of}.effects`)
  const tookEffect = (of: string, turnId: string): boolean =>
    existsSync(effects(of)) && readFileSync(effects(of), 'utf8').includes(turnId)
  return {
    spec: { name, description: name, parameters: { type: 'object' } },
    effects: 'read',
    repeatable: name === 'look',
    untrusted: false,
    async run(_args, { turnId }) {
      appendFileSync(effects(name), `${turnId}\n`)
      if (dies === 'mid-tool') {
        // Both have taken effect when the point is reached, and neither has answered.
        await until(() => name === 'look' && tookEffect('pay', turnId))
      }
      if (name === 'look') reached('mid-tool')
      return `${name} ok`
    },
  }
}
