// `npm run prove -- --seed 1 --ops 2000`: proves the promises of the service on real processes, and prints what broke.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshBundle } from '../../tools/bundle.ts'
import { checkNumbers, readFlags, refuseFlags } from '../../tools/flags.ts'

const usage = `npm run prove -- [--seed N] [--ops 2000] [--people 12] [--faults N] [--database sqlite|postgres] [--replicas 3] [--history FILE]
  Random operations of many users on real processes that are killed, and the check of the whole history. Prints a line for
  each promise, and exits with 1 if one is broken.
  --seed      the random choices; without it another one each time
  --ops       the number of operations, of --people users
  --faults    the number of faults; without it 8, or one for each 500 operations if these are more
  --database  sqlite, or --replicas processes over postgres from the development packages
  --history   also writes the history, an event a line`

const maxShown = 10
const minFaults = 8
const opsPerFault = 500
const interruptedExit = 130

async function run(): Promise<number> {
  const { values } = readFlags(usage, {
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      ops: { type: 'string', default: '2000' },
      people: { type: 'string', default: '12' },
      faults: { type: 'string' },
      database: { type: 'string', default: 'sqlite' },
      replicas: { type: 'string' },
      history: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const number = (name: keyof typeof values): number => Number(values[name])
  const { database, seed, people, faults } = values
  checkNumbers(usage, { seed, ops: values.ops, people, faults, replicas: values.replicas }, 0)
  if (database !== 'sqlite' && database !== 'postgres') refuseFlags(usage, '--database is sqlite or postgres')
  const replicas = values.database === 'postgres' ? Number(values.replicas ?? 3) : 0
  const ops = number('ops')
  const plan = {
    seed: number('seed'),
    ops,
    people: number('people'),
    faults: values.faults === undefined ? Math.max(minFaults, Math.round(ops / opsPerFault)) : number('faults'),
    replicas,
    tell: (line: string) => console.error(line),
  }
  // The processes run the bundle, unless something else is named; it is read when the file is loaded.
  process.env['TEST_MAIN'] ??= await freshBundle(join(import.meta.dirname, '..', '..'))
  const [{ prove }, { judge }] = await Promise.all([import('./prove.ts'), import('./rules.ts')])
  exitAtSignals()
  // At once: a run that cannot be finished is repeated by it too.
  console.error(`seed ${plan.seed}`)
  const began = Date.now()
  const history = await prove(plan)
  const verdicts = judge(history)
  if (values.history)
    writeFileSync(values.history, history.events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const { turns, threads } = history.stored
  console.log(
    `seed ${plan.seed}: ${plan.ops} operations, ${turns.length} turns in ${threads.length} threads, ${plan.faults} faults, ${Date.now() - began} ms`,
  )
  for (const { rule, breaches } of verdicts) {
    console.log(`${breaches.length === 0 ? 'holds ' : 'BROKEN'}  ${rule.name.padEnd(13)} ${rule.promise}`)
    for (const breach of breaches.slice(0, maxShown)) console.log(`          ${breach}`)
    if (breaches.length > maxShown) console.log(`          and ${breaches.length - maxShown} more`)
  }
  return verdicts.every(({ breaches }) => breaches.length === 0) ? 0 : 1
}

/** Whatever runs ends, and its files are removed, when the process exits. Its exit code is not left to the package of PostgreSQL. */
function exitAtSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal)
    process.once(signal, () => {
      console.error(`ended by ${signal}`)
      process.exit(interruptedExit)
    })
  }
}

try {
  process.exit(await run())
} catch (error) {
  console.error('the run could not be finished:', error)
  process.exit(1)
}
