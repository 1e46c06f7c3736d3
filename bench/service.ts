// `atrium serve` as a child process: started as a user would start it, and timed until it is ready.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, cpSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { prepareComponent } from '#sandbox/build/prepare.ts'
import { buildBundle } from '../tools/bundle.ts'
import { controlsOf, type Child, type Children } from './children.ts'
import { cpuOf } from './process.ts'
import type { Bench } from './suite.ts'

const root = join(import.meta.dirname, '..')
const deadlineMs = 30_000

/** The operator's token of every benchmarked service. */
export const token = 'token-of-the-operator-in-the-benchmark'

/** A file to run, and its arguments. */
export type Program = readonly [file: string, ...args: string[]]

/** `atrium serve` as a user would start it: from the bundle that the benchmark has built. */
export const serve: Program = [join(root, 'bin/atrium'), 'serve']
/** The same from the sources. */
export const serveSources: Program = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  join(root, 'src/main.ts'),
  'serve',
]

export type Service = {
  readonly child: ChildProcess
  readonly readyMs: number
  /** CPU time until it was ready. */
  readonly cpuMs: number
  stop(): Promise<void>
}

/** Starts a program and waits until it prints that it is ready. Its log goes to a file, at the level that users have. */
export async function startService(
  children: Children,
  env: Readonly<Record<string, string>>,
  [file, ...args]: Program = serve,
): Promise<Service> {
  const start = performance.now()
  const log = join(children.folder(), 'log')
  const opened = openSync(log, 'w')
  const child = children.spawn(file, args, env, opened)
  closeSync(opened)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${file} was not ready in time`)), deadlineMs)
    child.once('exit', () => reject(new Error(`${file} ended by itself: ${readFileSync(log, 'utf8')}`)))
    let output = ''
    child.stdout?.on('data', (text: Buffer) => {
      if (output.length < 10_000) output += text.toString()
      if (!output.includes('is ready')) return
      clearTimeout(timer)
      resolve()
    })
  })
  return {
    child,
    readyMs: performance.now() - start,
    cpuMs: cpuOf(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/**
 * Starts a service in its own home with the mock model. `measured.ts` is loaded into it, so that it reports its use of
 * CPU and memory. The origin is its gateway's.
 */
export async function startDoor(
  { children, model, cache }: Bench,
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const port = await freePort()
  const home = children.folder()
  cpSync(await cache(), join(home, 'cache'), { recursive: true })
  const { child } = await startService(children, {
    HOME: home,
    ATRIUM_HOME: home,
    GATEWAY_PORT: String(port),
    SERVICE_REBORN_WEBUI_TOKEN: token,
    CHAT_RATE_LIMIT: '0',
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'mock-1',
    LLM_BASE_URL: `${model}/v1`,
    LLM_API_KEY: 'key-of-the-mock',
    NODE_OPTIONS: `--import=${import.meta.resolve('./measured.ts')}`,
    ...env,
  })
  return { origin: `http://127.0.0.1:${port}`, ...controlsOf(child) }
}

/**
 * Makes the cache folder for every home: the compiled code of the tool that a service installs at its first start.
 * Compiling takes seconds of CPU, which would distort the measurements.
 */
export async function fillCache(children: Children): Promise<string> {
  const folder = children.folder()
  const weather = readFileSync(join(root, 'tools/weather/dist/weather.wasm'))
  await prepareComponent(weather, { cacheFolder: join(folder, 'tools') })
  return folder
}

/** Builds the bundle that is measured. */
export function makeBundle(): Promise<void> {
  return buildBundle(root)
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}
