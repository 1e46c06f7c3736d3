// The entry of `npm run bench`: runs every suite with one mock model, and compares results with the floors of this run.
import { writeFileSync } from 'node:fs'
import { cpus, platform, totalmem } from 'node:os'
import { readCommit } from '#lib/commit.ts'
import { readVersion } from '#lib/version.ts'
import { readFlags, refuseFlags } from '../tools/flags.ts'
import { figuresIn, guard, record, recorded } from './guard.ts'
import { writeReport } from './report.ts'
import type { Bench, Scale, Suite } from './suite.ts'
import { printTable, type Table } from './table.ts'

/** Each is loaded once it is chosen: together they are most of the service. */
const suites: Readonly<Record<string, () => Promise<Suite>>> = {
  turns: async () => (await import('./turns.ts')).turns,
  length: async () => (await import('./length.ts')).length,
  threads: async () => (await import('./threads.ts')).threads,
  users: async () => (await import('./users.ts')).users,
  growth: async () => (await import('./growth.ts')).growth,
  responses: async () => (await import('./responses.ts')).responses,
  completions: async () => (await import('./completions.ts')).completions,
  replays: async () => (await import('./replays.ts')).replays,
  streams: async () => (await import('./responses.ts')).streams,
  sockets: async () => (await import('./sockets.ts')).sockets,
  webhook: async () => (await import('./webhook.ts')).webhook,
  postgres: async () => (await import('./postgres.ts')).postgres,
  capacity: async () => (await import('./capacity.ts')).capacity,
  memory: async () => (await import('./memory.ts')).memory,
  skills: async () => (await import('./skills.ts')).skills,
  missions: async () => (await import('./missions.ts')).missions,
  tools: async () => (await import('./tools.ts')).tools,
  mcp: async () => (await import('./mcp.ts')).mcp,
  safety: async () => (await import('./safety.ts')).safety,
  providers: async () => (await import('./providers.ts')).providers,
  terminal: async () => (await import('./terminal.ts')).terminal,
  startup: async () => (await import('./startup.ts')).startup,
  footprint: async () => (await import('./footprint.ts')).footprint,
  installation: async () => (await import('./installation.ts')).installation,
  peers: async () => (await import('./peers.ts')).peers,
}

/** The suites of `--guard`. */
const guarded = ['responses', 'streams', 'postgres', 'startup', 'footprint']

const usage = `npm run bench -- [--quick] [--only ${Object.keys(suites).join('|')}] [--json FILE] [--report] [--guard] [--record] [--profile]
  --quick    everything once and small, under a minute: checks that it works, not how fast
  --only     one suite, or several: a,b
  --json     also writes the tables to a file
  --report   also writes them to docs/benchmarks.md; with --only it keeps the other tables there
  --guard    only the suites that are guarded (${guarded.join(', ')}); fails if a ratio to a floor is more than 10 % worse
             than the one in bench/figures.json
  --record   writes the ratios of the guarded suites to bench/figures.json
  --profile  only a CPU profile of the loop under load: writes loop.cpuprofile, prints the functions by self time`

const full: Scale = {
  rounds: 7,
  turns: { single: 300, many: 1_000 },
  warmUp: 2_000,
  starts: 9,
  footprint: { starts: 3, turns: 20_000, calmMs: 30_000 },
  manyThreads: 100_000,
  users: 5_000,
  documents: 100_000,
  growth: { threads: 1_000_000, queued: 50_000 },
  missions: { due: 10_000, idle: 100_000 },
  openStreams: 2_000,
  sockets: { idle: 500, busy: 100, messages: 20 },
  tokenMs: 250,
  toolCalls: { warm: 1_000, single: 300, growth: 10_000 },
  crowd: { tools: 8, calls: 320, inFlight: 64 },
}
const quick: Scale = {
  rounds: 1,
  turns: { single: 10, many: 64 },
  warmUp: 64,
  starts: 1,
  footprint: { starts: 1, turns: 100, calmMs: 1_000 },
  manyThreads: 2_000,
  users: 20,
  documents: 1_000,
  growth: { threads: 1_000, queued: 200 },
  missions: { due: 200, idle: 1_000 },
  openStreams: 50,
  sockets: { idle: 20, busy: 5, messages: 2 },
  tokenMs: 20,
  toolCalls: { warm: 20, single: 20, growth: 100 },
  crowd: { tools: 5, calls: 5, inFlight: 5 },
}

async function run(): Promise<void> {
  const { values } = readFlags(usage, {
    options: {
      quick: { type: 'boolean' },
      only: { type: 'string' },
      json: { type: 'string' },
      report: { type: 'boolean' },
      guard: { type: 'boolean' },
      record: { type: 'boolean' },
      profile: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  const names = values.only !== undefined ? values.only.split(',') : values.guard ? guarded : Object.keys(suites)
  const cores = `${cpus().length} x ${cpus()[0]?.model.trim()}`
  const before = values.guard ? recorded(cores) : undefined
  const loads = names.map(choose)
  const { createChildren } = await import('./children.ts')
  const { fillCache, makeBundle } = await import('./service.ts')
  const chosen = values.profile
    ? [(await import('./profile.ts')).profile]
    : await Promise.all(loads.map((load) => load()))
  await makeBundle()
  const children = createChildren()
  const mock = await children.start(import.meta.resolve('./mock-model.ts'))
  let filled: Promise<string> | undefined
  const cache = (): Promise<string> => {
    filled ??= fillCache(children)
    return filled
  }
  const bench: Bench = { children, model: mock.origin, cache, scale: values.quick ? quick : full }
  const machine = `Node ${process.version}, ${platform()}, ${cores}, ${Math.round(totalmem() / 1e9)} GB`
  // Before the report itself changes the checkout.
  const version = `${readVersion()}, commit ${readCommit() ?? 'unknown'}`
  console.log(`${machine}\n`)
  const tables: Table[] = []
  const guardedTables: Table[] = []
  for (const [at, suite] of chosen.entries()) {
    const made = await suite(bench)
    for (const table of made) console.log(printTable(table))
    tables.push(...made)
    if (guarded.includes(names[at] ?? '')) guardedTables.push(...made)
    await children.endAllBut(mock)
    // After each suite: a run takes most of an hour, and what it has measured should survive its end.
    const result = { machine, version, at: new Date(), tables }
    if (values.json) writeFileSync(values.json, JSON.stringify(result, null, 2))
    if (values.report) writeReport(result, { keepsOthers: values.only !== undefined })
  }
  if (before) {
    const { table, worse } = guard(figuresIn(guardedTables), before)
    console.log(printTable(table))
    if (worse.length > 0) throw new Error(`more than 10 % worse than recorded: ${worse.join('; ')}`)
  }
  if (values.record) record({ cores, figures: figuresIn(guardedTables) })
}

function choose(name: string): () => Promise<Suite> {
  return suites[name] ?? refuseFlags(usage, `there is no suite ${name}`)
}

try {
  await run()
  process.exit(0)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
