// A small service that kills itself with SIGKILL at a named point, or, with the point `none`, runs until all is done.
// Usage: child.ts HOME POINT ACTION, where ACTION is `send` (send the messages first) or `resume` (only carry on).
import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs'
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

const [homePath = '', point = 'none', action = 'send'] = process.argv.slice(2)
const home = openHome(homePath)
if (!lockHome(home)) throw new Error('the home is locked')
const real = openStore({ path: home.database, seal: createSeal(masterKey(home, undefined)) })

function dieAt(name: string): void {
  if (name !== point) return
  process.kill(process.pid, 'SIGKILL')
  // The signal is on its way: do nothing more.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

/** The point a stored step has reached. */
function pointOf({ drafts, outcome }: Step): string {
  const types = drafts.map(({ item }) => item.type)
  if (outcome) return 'settled'
  if (types.includes('call')) return 'response appended'
  if (types.includes('attempt')) return 'attempt recorded'
  return types.includes('result') ? 'result appended' : 'step'
}

const store: Store = {
  ...real,
  turns: {
    ...real.turns,
    async start(turn) {
      const stored = await real.turns.start(turn)
      dieAt('message committed')
      return stored
    },
    async claim(lease, limit) {
      const claimed = await real.turns.claim(lease, limit)
      if (claimed.started.length > 0) dieAt('claimed')
      return claimed
    },
    async record(turn, lease, step) {
      const recorded = await real.turns.record(turn, lease, step)
      dieAt(pointOf(step))
      return recorded
    },
  },
}

/** Calls both tools, then answers with what they said. */
const model: Model = {
  provider: 'test',
  name: 'test',
  window: 1_000,
  async *stream({ items }) {
    const last = items.at(-1)
    if (last?.type === 'result') {
      yield [{ type: 'text', text: 'Done' }]
      dieAt('mid-stream')
      const results = items.filter((item) => item.type === 'result').slice(-2)
      yield [{ type: 'text', text: `: ${results.map(({ output }) => output).join(' | ')}` }]
    } else {
      yield [{ type: 'text', text: 'Let me see.' }]
      dieAt('mid-first-stream')
      yield [
        { type: 'call', name: 'pay', args: '{"sum":1}' },
        { type: 'call', name: 'look', args: '{}' },
      ]
    }
    yield [{ type: 'done', usage: noUsage }]
  },
}

/** Until a tool has taken effect in a turn. */
async function effect(name: string, turnId: string): Promise<void> {
  const file = join(home.path, `${name}.effects`)
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes(turnId)) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function tool(name: string, repeatable: boolean): Tool {
  return {
    spec: { name, description: name, parameters: { type: 'object' } },
    effects: 'read',
    repeatable,
    untrusted: false,
    async run(_args, { turnId }) {
      appendFileSync(join(home.path, `${name}.effects`), `${turnId}\n`)
      // Both have taken effect when the point is reached.
      if (name === 'look' && point === 'mid-tool') await effect('pay', turnId)
      if (name === 'look') dieAt('mid-tool')
      if (point === 'mid-tool') await new Promise((resolve) => setTimeout(resolve, 60_000))
      return `${name} ok`
    },
  }
}

const tools = [tool('pay', false), tool('look', true)]
const lease = { owner: newId(), epoch: 1 }
const bus = createLocalBus()
const runner = createRunner({
  judge: createJudge(),
  store,
  bus,
  lease,
  log: silentLog,
  histories: createHistories({ threads: store.threads, fence }),
  model: () => Promise.resolve(model),
  tools: () => ({ byName: new Map(tools.map((each) => [each.spec.name, each])), specs: tools.map(({ spec }) => spec) }),
  bounds: defaultBounds,
  spend: createSpend({ store, caps: () => ({ perTurn: 5 }) }),
  maxRunning: 1_000,
})
const turns = createTurns({ store, bus, runner })
await store.turns.recover(lease)
runner.wake()

if (action === 'send') {
  for (const text of ['one', 'two', 'three']) {
    const { turn, events } = await turns.start({
      user: operator,
      door: 'run',
      threadKey: 'crash',
      input: [textMessage('user', text)],
      options: {},
      whenBusy: 'queue',
    })
    events.close()
    // The acknowledgement: from here on the message must not be lost.
    writeSync(1, `${turn.id}\n`)
    dieAt('message acknowledged')
  }
}
for (;;) {
  const { rows } = await turns.list(operator, { limit: 100 })
  if (rows.every(({ status }) => ended(status))) break
  await new Promise((resolve) => setTimeout(resolve, 5))
}
process.exit(0)
