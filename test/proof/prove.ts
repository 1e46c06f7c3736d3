// A run: starts the service, lets clients do random things while faults happen, waits until nothing runs, and returns the
// history.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../atrium.ts'
import { runCourse } from './course.ts'
import { createDice } from './dice.ts'
import { scheduleFaults } from './faults.ts'
import { type Event, hasSecret, type History } from './history.ts'
import { operate } from './operations.ts'
import { serverTools, startOutside } from './outside.ts'
import { send } from './request.ts'
import { startReplicated } from './replicated.ts'
import { operatorToken, startAlone, webhookSecret } from './service.ts'
import { countRunnable, openPlace, readStored } from './stored.ts'
import { newPerson } from './people.ts'
import type { Site, World } from './world.ts'

export type Plan = {
  readonly seed: number
  readonly ops: number
  readonly people: number
  /** Over PostgreSQL; 0 is one process over SQLite. */
  readonly replicas: number
  /** How many faults there are. */
  readonly faults: number
  /** More variables of the service, and what is run in place of the bundle. */
  readonly env?: Readonly<Record<string, string>>
  readonly program?: Program
  /** How long to wait until nothing runs any more. */
  readonly restMs?: number
  /** Gets a line now and then. */
  readonly tell?: (line: string) => void
}

const paymentMs = 5_000
const patienceMs = 180_000
const lookMs = 50
/** On a busy machine a turn takes minutes: none may end by its time. */
const patient = { RESPONSES_TURN_TIMEOUT_SECS: '1800' }

/** Whatever ends the run, all that it started is ended and removed before the promise settles. */
export async function prove({
  seed,
  ops,
  people: count,
  faults,
  replicas,
  env: more,
  program,
  restMs = patienceMs,
  tell,
}: Plan): Promise<History & { readonly output: string }> {
  const events: Event[] = []
  let paid = (): void => {}
  const record = (event: Event): void => {
    events.push(event)
    if (event.type === 'effect') paid()
  }
  /** The next payment, or a while without one. */
  const effect = (): Promise<void> =>
    new Promise((resolve) => {
      paid = resolve
      setTimeout(resolve, paymentMs).unref()
    })
  await using opened = new AsyncDisposableStack()
  const outside = await startOutside(record)
  opened.defer(() => outside.close())
  // All that the service logs is looked through for secrets.
  const env = { ...more, ...outside.env, LOG_LEVEL: 'info', ...patient, ATRIUM_PRIVATE_HOSTS: outside.host }
  const service = replicas === 0 ? await startAlone(env, { effect, program }) : await startReplicated(replicas, env)
  opened.defer(() => service.close())
  const ending = new AbortController()
  opened.defer(() => ending.abort(new Error('the run is over')))
  const world: World = { site: until(ending.signal, service), webhookSecret, operatorToken, record }
  const people = await Promise.all(Array.from({ length: count }, (_, at) => newPerson(world, at, seed + at + 1)))
  await allowTools(world)
  const all = { faults: { ...service.faults, ...outside.faults } }
  const schedule = scheduleFaults(all, { dice: createDice(seed), ops, count: faults })
  await runCourse({
    clients: people,
    ops,
    faults: schedule,
    operate: (person, op) => operate(world, person, people, op),
    record,
    tell,
  })
  const sql = openPlace(service.place)
  opened.defer(() => sql.close())
  for (const end = Date.now() + restMs; (await countRunnable(sql)) > 0 && Date.now() < end; ) await sleep(lookMs)
  const leases = replicas > 0 && ({ leases: true } as const)
  const stored = await readStored(sql)
  if (hasSecret(service.output())) record({ type: 'leaked', where: 'the log' })
  for (const { id, entries } of stored.threads)
    if (hasSecret(JSON.stringify(entries))) record({ type: 'leaked', where: `thread ${id}` })
  return { events, stored, output: service.output(), ...leases }
}

/** The tools of the hostile server run at once. */
async function allowTools(world: World): Promise<void> {
  const operator = { name: 'operator', token: operatorToken }
  for (const tool of serverTools) {
    const url = (): string => `${world.site.gateway()}/api/mcp/rude/tools/${tool}`
    const reply = await send(world, operator, url, { method: 'PATCH', body: { effect: 'read' } })
    if (reply?.status !== 200) throw new Error(`${tool}: ${reply?.text}`)
  }
}

/** Without addresses from then on: clients that would try for minutes give up. */
function until(signal: AbortSignal, site: Site): Site {
  const open = (address: () => string) => (): string => {
    signal.throwIfAborted()
    return address()
  }
  return { gateway: open(() => site.gateway()), webhook: open(() => site.webhook()) }
}
