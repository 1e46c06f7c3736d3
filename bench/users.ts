// What the number of users costs a turn: a service whose turns come from many users, beside one with a single user.
import type { Child } from './children.ts'
import { compare, type Measured, type Subject } from './compare.ts'
import type { Load } from './load.ts'
import { createLoad } from './responses.ts'
import { startDoor, token } from './service.ts'
import { floorLoad, startFloor, type Suite, turnTable, warmUp } from './suite.ts'

const inFlight = 16
/** Users that are added at a time. */
const batchSize = 16

export const users: Suite = async (bench) => {
  const { rounds, turns, warmUp: warm, users: count } = bench.scale
  const [floor, one, many] = await Promise.all([startFloor(bench, 'B'), startDoor(bench), startDoor(bench)])
  const tokens: string[] = []
  while (tokens.length < count) {
    const names = Array.from({ length: Math.min(batchSize, count - tokens.length) }, (_, at) => tokens.length + at)
    tokens.push(...(await Promise.all(names.map((at) => addUser(many, `user-${at}`)))))
  }
  let sent = 0
  const loadOfAll = (turnCount: number): Omit<Load, 'origin'> => {
    const loads = tokens.map((each) => createLoad(inFlight, turnCount, each))
    return {
      inFlight,
      turns: turnCount,
      runTurn: (agent, origin, turn) => (loads[sent++ % loads.length] as Load).runTurn(agent, origin, turn),
    }
  }
  const subjects = (turnCount: number): Subject[] => [
    { name: '(B) proxy + 2 inserts', child: floor, load: () => floorLoad(inFlight, turnCount) },
    { name: 'one user', child: one, load: () => createLoad(inFlight, turnCount) },
    { name: `${count.toLocaleString('en')} users`, child: many, load: () => loadOfAll(turnCount) },
  ]
  await warmUp(subjects(warm))
  const results = await compare(subjects(turns.many), rounds)
  const floorOf = (_: Measured, kind: 'A' | 'B'): Measured | undefined => (kind === 'B' ? results[0] : undefined)
  return [turnTable(`Users who take turns, ${inFlight} in flight: Responses API`, results, floorOf)]
}

/** Adds a user; returns their token. */
async function addUser({ origin }: Child, name: string): Promise<string> {
  const response = await fetch(`${origin}/api/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  if (response.status !== 201) throw new Error(`POST /api/users answered ${response.status}`)
  return ((await response.json()) as { token: string }).token
}
