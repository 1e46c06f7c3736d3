// `npm run soak -- --minutes 30`: mixed load for a while, and a table of what grew.
import { join } from 'node:path'
import { printTable } from '../../../bench/table.ts'
import { checkNumbers, readFlags, refuseFlags } from '../../../tools/flags.ts'
import type { Row } from './figures.ts'

const usage = `npm run soak -- [--minutes 30] [--database sqlite|postgres]
  Starts the service, measures its capacity, and puts mixed load of half of it on the service for so many minutes.
  Prints what each figure was at the start and at the end, and its slope. Exits with 1 if a figure grew by more than is
  allowed or could not be read, if turns failed that were not meant to, or if there was an answer that is documented
  nowhere. A run with fewer than eight windows says that it is too short to tell what grows.
  --minutes   how long; decimals are allowed
  --database  sqlite, or postgres from the development packages
  --overload  instead: the latency of admitted turns at three times capacity, as ratios to that at capacity, and of a
              job behind 1,000 queued jobs of another user; --seconds 10 for each part`

const maxShown = 10

type Order = { readonly database: 'sqlite' | 'postgres'; readonly signal: AbortSignal }

async function run(): Promise<number> {
  const { values } = readFlags(usage, {
    options: {
      minutes: { type: 'string', default: '30' },
      database: { type: 'string', default: 'sqlite' },
      overload: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '10' },
      help: { type: 'boolean' },
    },
  })
  const { database } = values
  const [minutes, seconds] = [Number(values.minutes), Number(values.seconds)]
  checkNumbers(usage, { minutes: values.minutes, seconds: values.seconds }, Number.MIN_VALUE)
  if (database !== 'sqlite' && database !== 'postgres') refuseFlags(usage, '--database is sqlite or postgres')
  // Only now: to load them takes longer than to refuse a flag.
  const [{ buildAll }, { freshBundle }] = await Promise.all([
    import('../../../tools/build.ts'),
    import('../../../tools/bundle.ts'),
  ])
  // The process runs the bundle, unless something else is named; it is read when the file is loaded.
  const [main] = await Promise.all([freshBundle(join(import.meta.dirname, '..', '..', '..')), buildAll()])
  process.env['TEST_MAIN'] ??= main
  return await untilSignal((signal) =>
    values.overload ? tellOverload({ database, signal }, seconds) : tellSoak({ database, signal }, minutes),
  )
}

/** Ends the run at a signal: everything that it started is removed first. */
async function untilSignal(begin: (signal: AbortSignal) => Promise<number>): Promise<number> {
  // Loaded first: the package of PostgreSQL ends the process at a signal.
  await import('./soak.ts')
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal)
    process.once(signal, () => interrupted.abort(signal))
  }
  try {
    return await begin(interrupted.signal)
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    console.log(`ended by ${String(interrupted.signal.reason)}`)
    // Operations in flight would be tried for minutes.
    return process.exit(130)
  }
}

async function tellSoak(order: Order, minutes: number): Promise<number> {
  const { soak } = await import('./soak.ts')
  const tell = (line: string): void => console.log(line)
  const { rows, operations, rate, turns, strange, verdict } = await soak({ ...order, minutes, tell })
  const title = `${operations} operations, ${rate.toFixed(0)} per second; ${turns} turns`
  console.log(`\n${printTable(tableOf(title, rows))}`)
  for (const { where, status, text } of strange.slice(0, maxShown))
    console.log(`unexpected: ${where} ${status} ${text}`)
  for (const line of [...verdict.notes, ...verdict.faults]) console.log(line)
  if (verdict.faults.length === 0) console.log('nothing was wrong')
  return verdict.faults.length === 0 ? 0 : 1
}

async function tellOverload(order: Order, seconds: number): Promise<number> {
  const { runOverload } = await import('./overload.ts')
  const { places, rows, holds } = await runOverload({ ...order, seconds })
  const shown = rows.map(({ name, ratio, max }) => [name, `${ratio.toFixed(2)} x`, `${max} x`])
  const title = `Overload, to the latency at capacity: ${places} turns at once, which fill the event loop`
  console.log(printTable({ title, columns: ['', 'ratio', 'at most'], rows: shown }))
  console.log(holds ? 'held' : 'NOT held')
  return holds ? 0 : 1
}

function tableOf(title: string, rows: readonly Row[]) {
  return {
    title,
    columns: ['', 'start', 'end', 'an hour', 'allowed', 'verdict'],
    rows: rows.map(({ figure: { name, unit, digits }, start, end, perHour, allowed, result }) => {
      const shown = (value: number, sign = ''): string => (Number.isFinite(value) ? sign + value.toFixed(digits) : '-')
      const signed = shown(perHour, perHour > 0 ? '+' : '')
      return [unit ? `${name}, ${unit}` : name, shown(start), shown(end), signed, shown(allowed, '+'), result]
    }),
  }
}

process.exit(await run())
