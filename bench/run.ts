// The entry of `npm run bench`: runs every suite with one mock model, and compares results with the floors of this run.
import { writeFileSync } from 'node:fs'
import { cpus, platform, totalmem } from 'node:os'
import { readCommit } from '#lib/commit.ts'
import { readVersion } from '#lib/version.ts'
import { readFlags, refuseFlags } from '../tools/flags.ts'
import { createChildren } from './children.ts'
import { capacity } from './capacity.ts'
import { completions } from './completions.ts'
import { footprint } from './footprint.ts'
import { growth } from './growth.ts'
import { figuresIn, guard, record, recorded } from './guard.ts'
import { installation } from './installation.ts'
import { length } from './length.ts'
import { mcp } from './mcp.ts'
import { memory } from './memory.ts'
import { missions } from './missions.ts'
import { peers } from './peers.ts'
import { postgres } from './postgres.ts'
import { profile } from './profile.ts'
import { providers } from './providers.ts'
import { replays } from './replays.ts'
import { writeReport } from './report.ts'
import { responses, streams } from './responses.ts'
import { fillCache, makeBundle } from './service.ts'
import { safety } from './safety.ts'
import { skills } from './skills.ts'
import { sockets } from './sockets.ts'
import { startup } from './startup.ts'
import type { Bench, Scale, Suite } from './suite.ts'
import { printTable, type Table } from './table.ts'
import { terminal } from './terminal.ts'
import { threads } from './threads.ts'
import { tools } from './tools.ts'
import { turns } from './turns.ts'
import { users } from './users.ts'
import { webhook } from './webhook.ts'

const suites: Readonly<Record<string, Suite>> = {
  turns,
  length,
  threads,
  users,
  growth,
  responses,
  completions,
  replays,
  streams,
  sockets,
  webhook,
  postgres,
  capacity,
  memory,
  skills,
  missions,
  tools,
  mcp,
  safety,
  providers,
  terminal,
  startup,
  footprint,
  installation,
  peers,
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
  const chosen = values.profile ? [profile] : names.map(choose)
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

function choose(name: string): Suite {
  return suites[name] ?? refuseFlags(usage, `there is no suite ${name}`)
}

try {
  await run()
  process.exit(0)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
