// `atrium doctor`: checks the installation and says what to fix. It creates nothing.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { type Config, loadConfig, weakSecrets } from '#config.ts'
import type { ModelTrial } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import { costWords, countWords, durationWords, offeredWords } from '#core/words.ts'
import { checkLink, checkOwner, type Home, homeAt, keyFile, tokenFile } from '#home.ts'
import { openVectors } from '#app/open-vectors.ts'
import { silentLog } from '#lib/log.ts'
import { ollamaAnswers } from '#models/ollama.ts'
import { openModel } from '#models/open-model.ts'
import { tryModel } from '#models/trial.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { printable } from '#safety/printable.ts'
import { newestVersion } from '#store/migrations.ts'
import { whyShellUnconfined } from '#tools/workspace/shell.ts'
import { openExisting, type OpenedStore, type Secret } from './existing-store.ts'
import { runningService } from './running-service.ts'
import { serviceModel } from './service-model.ts'
import { createProgress } from './progress-line.ts'
import { paint, print, table } from './report.ts'
import { stoppable } from './stoppable.ts'

type State = 'ok' | 'warning' | 'fault'
type Finding = { readonly check: string; readonly state: State; readonly detail: string }

const embeddingMs = 5_000
const serverMs = 60_000

export async function doctor(options: { json?: boolean; prove?: boolean }): Promise<void> {
  if (options.prove) return proveDoors(options)
  const findings = await examine()
  const signs = { ok: paint('36', '✓'), warning: paint('33', '●'), fault: paint('31', '▲') }
  const lines = findings.map(({ check, state, detail }) => `${signs[state]} ${check}: ${detail}`)
  print(options, findings, lines.join('\n'))
  if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1
}

const verdicts = {
  held: 'held',
  got_through: 'GOT THROUGH',
  not_tried: 'NOT TRIED',
  not_possible: 'not possible here',
}

/** Attacks a service of its own and prints what held. The home of this installation is not touched. */
async function proveDoors(options: { json?: boolean }): Promise<void> {
  const { prove } = await import('#prove/prove.ts')
  const progress = createProgress()
  const proofs = await stoppable('stopped: not every attack was tried', (signal) =>
    prove((what, share) => {
      signal.throwIfAborted()
      progress.show(what, share)
    }),
  ).finally(progress.end)
  const rows = proofs.map(({ name, tried, answered, verdict }) => [name, tried, answered, verdicts[verdict]])
  print(options, proofs, table([['ATTACK', 'TRIED', 'ANSWERED', ''], ...rows]))
  if (proofs.some(({ verdict }) => verdict === 'got_through' || verdict === 'not_tried')) process.exitCode = 1
}

/** Runs the checks. A check that depends on a failed one is skipped, so that one fault is reported once. */
async function examine(): Promise<Finding[]> {
  const findings: Finding[] = [{ check: 'node', state: 'ok', detail: process.version }]
  const add = (check: string, state: State, detail: string): void => {
    findings.push({ check, state, detail: printable(detail, { lines: true }) })
  }
  /** False when there was a fault. */
  const look = async (check: string, work: () => Promise<void> | void): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      add(check, 'fault', error.message)
      return false
    }
  }
  const say =
    (check: string) =>
    (detail: string, state: State = 'ok') =>
      add(check, state, detail)

  if (!(await look('configuration', () => lookAtConfig(say('configuration'))))) return findings
  const config = loadConfig()
  const home = homeAt(config.home)
  lookAtSecrets(config, say('secrets'))
  if (!(await look('home', () => lookAtHome(home, config, say('home'))))) return findings
  await look('database', async () => {
    const opened = await openExisting(home, config)
    if (!opened) {
      add('database', 'ok', 'not there yet: the first start makes it')
      await look('model', () => lookAtModel(config, () => Promise.resolve(undefined), say('model')))
      return
    }
    try {
      await lookAtDatabase(opened, say('database'))
      if (opened.version === newestVersion) await lookAtSealed(opened, say('secrets'))
      const stored = loadConfig(await opened.store.settings.all())
      await look('model', () => lookAtModel(stored, opened.secret, say('model')))
      if (opened.version === newestVersion) await lookAtServers(stored, home, opened, say('mcp'))
      if (stored.embedding) await lookAtEmbedding(stored, opened.store, say('embedding'))
    } finally {
      await opened.store.close()
    }
  })
  if (config.shell && existsSync(home.path)) await lookAtShell(home, config, say('shell'))
  await look('service', async () => {
    const runs = await runningService(config.home).catch(sayWithoutDatabase)
    const unstored = runs?.status['unstored']
    if (typeof unstored === 'string') return add('service', 'fault', `runs on this home, but ${unstored}`)
    add('service', 'ok', runs ? 'runs on this home' : 'does not run; start it with: atrium serve')
  })
  return findings
}

/** The check of the database says why. */
function sayWithoutDatabase(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'database_unavailable') throw error
  throw new AppError(error.code, 'runs on this home, but without its database', { cause: error })
}

type Say = (detail: string, state?: State) => void

function lookAtConfig(say: Say): void {
  const { notices } = loadConfig()
  say(notices.join(' ') || 'every variable is well-formed', notices.length > 0 ? 'warning' : 'ok')
}

function lookAtSecrets(config: Config, say: Say): void {
  const weak = weakSecrets(config)
  if (weak.length === 0) say('nothing weak is exposed')
  for (const { name, host } of weak)
    say(`${name} is too short for a door on ${host}: set a long random one (openssl rand -hex 32)`, 'warning')
}

function lookAtHome(home: Home, config: Config, say: Say): void {
  checkLink(home.path)
  if (!existsSync(home.path)) return say(`${home.path} is not there yet: the first start makes it`)
  checkOwner(home.path)
  try {
    accessSync(home.path, constants.W_OK | constants.X_OK)
  } catch (cause) {
    const message = `${home.path} cannot be written: set ATRIUM_HOME to a folder of yours`
    throw new AppError('home_unwritable', message, { cause })
  }
  const files = [keyFile(home), tokenFile(home)].filter((path) => existsSync(path))
  for (const file of files) checkOwner(file)
  const open = [home.path, ...files].filter((path) => (statSync(path).mode & 0o077) !== 0)
  for (const path of open) say(`${path} is open to others: chmod go= ${path}`, 'warning')
  const keyless = config.masterKey === undefined && existsSync(home.database) && !files.includes(keyFile(home))
  if (keyless) say(`${keyFile(home)} is missing: restore it, or set each secret anew`, 'warning')
  if (open.length === 0 && !keyless) say(`${home.path}, private`)
}

async function lookAtShell(home: Home, { workspace }: Config, say: Say): Promise<void> {
  const unconfined = await whyShellUnconfined({ home: home.path, cwd: workspace })
  if (unconfined === undefined)
    return say('commands are confined: they do not see this home, and nothing outlives them')
  const { reason, temporary } = unconfined
  if (temporary) return say(`commands cannot be confined now, and do not run until they can (${reason})`, 'warning')
  say(
    `commands are not confined (${reason}): an approved command can read ${home.path}, and leave a process behind; see docs/tools.md`,
    'warning',
  )
}

async function lookAtDatabase({ store, version }: OpenedStore, say: Say): Promise<void> {
  await store.ping()
  const name = store.backend === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  if (version < newestVersion)
    return say(`${name} answers with version ${version}: the next start brings it to ${newestVersion}`)
  const lacks = await store.check()
  if (lacks.length > 0)
    throw new AppError('database_unavailable', `${name} answers, but ${lacks.join('; ')}: restore a backup`)
  say(`${name} answers, and has every table`)
}

async function lookAtSealed({ store }: OpenedStore, say: Say): Promise<void> {
  const names = (await store.secrets.unopenable()).map(({ name }) => name)
  if (names.length === 0) return
  say(`sealed under another key: ${names.join(', ')}; restore the key, or set each anew: atrium secret set`, 'warning')
}

/** Makes one short call of the model, by a running service with its own keys: a key that is set may still be wrong. */
async function lookAtModel(config: Config, secret: Secret, say: Say): Promise<void> {
  const service = await serviceModel(config.home)
  const test = service?.test ?? (await ownTest(config, secret))
  const model = service?.model ?? config.model
  if (model.provider === 'scripted') return say(`${model.provider} ${model.name}`)
  if (model.provider !== 'offline') {
    const { ms, usage } = await test()
    return say(`${model.provider} ${model.name} answers, after ${durationWords(ms)} (${costWords(usage.costUsd)})`)
  }
  const hint = (await ollamaAnswers())
    ? 'a local Ollama answers too: atrium model set ollama qwen3'
    : 'a real one is better: atrium onboard'
  say(`the built-in offline model answers; ${hint}`, 'warning')
}

/** A script that cannot be read is a fault also if it is not asked. */
async function ownTest({ model, proxy }: Config, secret: Secret): Promise<() => Promise<ModelTrial>> {
  const opened = await openModel({ ...model, fallback: [] }, { secret, proxy })
  return () => tryModel(opened)
}

/** Starts each MCP server once. Faults are warnings: the agent works without them. */
async function lookAtServers(config: Config, home: Home, { store, seal }: OpenedStore, say: Say): Promise<void> {
  if ((await store.mcp.list()).length === 0) return
  const { examineServers } = await import('#app/load-mcp.ts')
  const scan = createLeakScan()
  const parts = { home, store, seal, config, scan: () => scan, log: silentLog }
  for (const { name, tools, on, changed, fault } of await examineServers(parts, AbortSignal.timeout(serverMs))) {
    if (fault !== undefined) say(`${name}: ${fault}`, 'warning')
    else if (changed > 0) say(`${name} changed ${countWords(changed, 'tool')}: atrium mcp review ${name}`, 'warning')
    else say(`${name} answers, with ${offeredWords(on, tools)}`)
  }
}

/** Faults are only warnings, because memory works without embeddings. */
async function lookAtEmbedding(config: Config, store: Store, say: Say): Promise<void> {
  const vectors = await openVectors({ config, store, log: silentLog })
  try {
    if (vectors?.lacks !== undefined) return say(`memory is searched by words alone: ${vectors.lacks}`, 'warning')
    const [vector] = (await vectors?.embed(['memory'], AbortSignal.timeout(embeddingMs))) ?? []
    say(`${config.embedding?.provider} ${config.embedding?.model} makes vectors of ${vector?.length} numbers`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    say(`memory is searched by words alone: ${error.message}`, 'warning')
  } finally {
    await vectors?.close()
  }
}
