// A real service that is killed with SIGKILL while missions are due, again and again.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { operator } from '#core/ids.ts'
import type { Mission, MissionRun, NewMission } from '#core/mission.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { atriumEnv, mainFile } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { random } from '../random.ts'
import { until } from '../until.ts'

const key = 'ab'.repeat(32)
const [second, minute, hour] = [1_000, 60_000, 3_600_000]
/** Missions of one instant that become due before each start. */
const perSeed = 4

/**
 * Kills a service once for each seed. In the end each instant has one row, and at most one turn. Returns how many kills
 * found runs that were under way.
 */
export async function killWhileDue(seeds: readonly number[]): Promise<number> {
  let underWay = 0
  const home = newHome()
  try {
    const script = join(home.path, 'script.json')
    writeFileSync(script, JSON.stringify({ loop: true, replies: [{ text: 'Done.', delayMs: 5 }] }))
    const start = () => startService(home.path, script)
    const began = performance.now()
    const first = start()
    await first.ready
    const startMs = performance.now() - began
    await first.end('SIGKILL')
    const [once, rhythm]: [Mission[], Mission[]] = [
      [],
      [await add(home.path, everyMinute()), await add(home.path, everyMinute())],
    ]
    const [night, skipped] = [await add(home.path, hourly('once')), await add(home.path, hourly('skip'))]
    for (const seed of seeds) {
      for (let count = 0; count < perSeed; count++) once.push(await add(home.path, justDue()))
      const service = start()
      await pause(startMs * (0.4 + 0.8 * random(seed)))
      await service.end('SIGKILL')
      if (await withStore(home.path, hasOpenRuns)) underWay++
    }
    const last = start()
    await until(
      () =>
        withStore(home.path, async (store) => {
          const all = (await store.missions.list(operator)).rows
          return all.every(
            ({ mission, lastRun }) => lastRun?.endedAt !== undefined && (mission.nextAt ?? Infinity) > Date.now(),
          )
        }),
      180 * second,
    )
    await last.end('SIGTERM')
    await check(home.path, { once, rhythm, night, skipped })
    return underWay
  } finally {
    home.remove()
  }
}

async function hasOpenRuns(store: TestStore): Promise<boolean> {
  const all = (await store.missions.list(operator)).rows
  return all.some(({ lastRun }) => lastRun && lastRun.endedAt === undefined)
}

type Expected = {
  readonly once: readonly Mission[]
  readonly rhythm: readonly Mission[]
  readonly night: Mission
  readonly skipped: Mission
}

async function check(home: string, { once, rhythm, night, skipped }: Expected): Promise<void> {
  const runs = (mission: Mission): Promise<readonly MissionRun[]> =>
    withStore(home, async (store) => (await store.missions.runs(operator, mission.id, { limit: 1_000 })).rows)
  const turnIds: string[] = []
  for (const mission of once) {
    const rows = await runs(mission)
    assert.deepEqual(
      rows.map(({ nominalAt, outcome }) => [nominalAt, outcome]),
      [[mission.nextAt, 'ok']],
    )
    turnIds.push(...rows.map(({ turnId }) => turnId ?? 'none'))
  }
  for (const mission of [...rhythm, night, skipped]) {
    const rows = (await runs(mission)).toReversed()
    const step = mission.schedule === 'every 1m' ? minute : hour
    assert.deepEqual(
      rows.map(({ nominalAt }) => nominalAt),
      rows.map((_, at) => (mission.nextAt ?? 0) + at * step),
    )
    turnIds.push(...rows.flatMap(({ turnId }) => turnId ?? []))
  }
  // The latest of the night was made up for, once; the others are told as missed. With `skip` all are.
  const outcomes = async (mission: Mission) =>
    (await runs(mission))
      .toReversed()
      .slice(0, 9)
      .map(({ outcome }) => outcome)
  assert.deepEqual(await outcomes(night), [...Array<string>(8).fill('missed'), 'ok'])
  assert.deepEqual(await outcomes(skipped), Array(9).fill('missed'))
  assert.equal(new Set(turnIds).size, turnIds.length, 'a turn belongs to one run')
  const database = new DatabaseSync(join(home, 'atrium.db'), { readOnly: true })
  const turns = database.prepare('SELECT id, status FROM turns').all()
  database.close()
  assert.deepEqual(turns.map(({ id }) => String(id)).sort(), turnIds.sort(), 'each turn belongs to a run')
  assert.deepEqual(
    turns.filter(({ status }) => status !== 'done'),
    [],
  )
}

const mission = { title: 'M', prompt: 'Say so', zone: 'UTC', missed: 'once' } as const

function justDue(): NewMission {
  const at = Math.floor(Date.now() / second) * second - second
  return { ...mission, schedule: new Date(at).toISOString(), from: at - second, nextAt: at }
}

function everyMinute(): NewMission {
  const from = Math.floor(Date.now() / second) * second - minute
  return { ...mission, schedule: 'every 1m', from, nextAt: from + minute }
}

/** Nine instants have passed; the next one comes in half an hour. */
function hourly(missed: 'once' | 'skip'): NewMission {
  const nextAt = Math.floor(Date.now() / second) * second - 9 * hour + hour / 2
  return { ...mission, missed, schedule: 'every 1h', from: nextAt - hour, nextAt }
}

type TestStore = ReturnType<typeof openStore>

async function withStore<T>(home: string, act: (store: TestStore) => Promise<T>): Promise<T> {
  const store = openStore({ path: join(home, 'atrium.db'), seal: createSeal(key) })
  try {
    return await act(store)
  } finally {
    await store.close()
  }
}

function add(home: string, given: NewMission): Promise<Mission> {
  return withStore(home, (store) => store.missions.add(operator, given, Infinity))
}

function startService(home: string, script: string) {
  const child: ChildProcess = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', mainFile, 'serve'], {
    env: {
      ...atriumEnv(home),
      ATRIUM_MASTER_KEY: key,
      GATEWAY_PORT: '0',
      HTTP_PORT: '0',
      LLM_PROVIDER: 'scripted',
      LLM_SCRIPT: script,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let output = ''
  const ready = new Promise<void>((resolve, reject) => {
    const look = (chunk: string): void => {
      output += chunk
      if (output.includes('is ready')) resolve()
    }
    child.stdout?.setEncoding('utf8').on('data', look)
    child.stderr?.setEncoding('utf8').on('data', look)
    void ended.then(() => reject(new Error(`atrium serve ended early:\n${output}`)))
  })
  ready.catch(() => undefined)
  return {
    ready,
    async end(signal: NodeJS.Signals): Promise<void> {
      child.kill(signal)
      await ended
    },
  }
}
