// Whole apps against the Responses API: their packages in a cache, a service with the profile `apps`, and their processes.
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { appsRules } from '#config/responses.ts'
import { userId } from '#core/ids.ts'
import { createClock } from '#lib/clock.ts'
import { silentLog } from '#lib/log.ts'
import { until } from '../../until.ts'
import { serve, type Served, type ServeParts } from './serve.ts'

const run = promisify(execFile)
const cache = join(import.meta.dirname, '../../../node_modules/.cache/apps')
/** npm may never end: packages that contradict each other send it round in circles. */
const maxInstallMs = 600_000
/** An app starts, retries and ends within this time also on a busy machine. */
const maxRunMs = 300_000

const ann = userId('ann')

/** The folder of an app's packages, with exact versions. They are installed once. */
export async function installed(...packages: readonly string[]): Promise<string> {
  const folder = join(cache, hash('sha256', packages.join(' ')).slice(0, 16))
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, 'new-'))
  const flags = ['--prefix', fresh, '--no-audit', '--no-fund']
  await run('npm', ['install', ...flags, ...packages], { timeout: maxInstallMs })
  if (existsSync(folder)) rmSync(fresh, { recursive: true })
  else renameSync(fresh, folder)
  return folder
}

/** Loads a module of an installed package. */
export async function load<T>(folder: string, name: string): Promise<T> {
  const path = createRequire(join(folder, 'package.json')).resolve(name)
  return (await import(pathToFileURL(path).href)) as T
}

/** A service as `RESPONSES_PROFILE=apps` makes it. */
export async function serveApps(t: TestContext, replies: ServeParts['replies'] & object): Promise<Served> {
  const clock = createClock({ log: silentLog })
  const served = await serve({ rules: appsRules, clock, replies })
  t.after(async () => {
    await clock.close()
    await served.close()
  })
  return served
}

/** A folder that the app works in, and has as its home. */
export function workFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-app-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type Running = { readonly ended: Promise<Ran>; readonly interrupt: () => void }

/** Starts a program of an app in its folder. */
export function start(program: readonly string[], folder: string, env: Record<string, string> = {}): Running {
  const [file = '', ...args] = program
  const home = { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1', CI: 'true', ...env }
  const options = { cwd: folder, env: home, timeout: maxRunMs, maxBuffer: 64 * 1024 * 1024 }
  let interrupt = (): void => {}
  const ended = new Promise<Ran>((resolve) => {
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
    })
    child.stdin?.end()
    interrupt = () => void child.kill('SIGINT')
  })
  return { ended, interrupt }
}

/** The gates that wait, once there are some. */
export async function gatesOf(served: Served) {
  await until(async () => (await served.gates.list(ann)).length > 0)
  return served.gates.list(ann)
}

/** The threads of all turns that have come to rest. */
export function threadsOf({ rested }: Served): Set<string> {
  return new Set(rested.map(({ threadId }) => threadId))
}
