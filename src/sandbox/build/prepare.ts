// Installing a component: checked and transpiled in a process of its own, kept in the cache by its hash.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '#core/json.ts'
import { inCheckout } from '#lib/place.ts'
import type { Outline, WitVersion } from '#sandbox/package/component.ts'
import { outlineOf } from '#sandbox/package/component.ts'
import { ToolFault, type ToolFaultCode } from '#sandbox/faults.ts'
import { createFrameReader, type Frame } from '#sandbox/child/frames.ts'
import { maxTranspiledBytes, transpileDeadlineMs } from '#sandbox/child/limits.ts'
import { nobody } from '#sandbox/supervisor/process.ts'
import { writeFolder } from './runtime.ts'

/** Code of a component in the cache, ready to run. */
export type Prepared = {
  readonly sha256: string
  readonly folder: string
  readonly witVersion: WitVersion
  readonly imports: readonly string[]
}

export type InstallParts = {
  readonly cacheFolder: string
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
}

/** Counts up when the way of making code changes, so that old caches are not used. */
const generation = 1

/** The hash that pins a component. */
export function hashOf(component: Uint8Array): string {
  return createHash('sha256').update(component).digest('hex')
}

/**
 * Gives the code of a component: from the cache, or made now. Throws a fault that names what is wrong with it.
 * The first part of the checks runs here, so that what is plainly wrong is told at once.
 */
export async function prepareComponent(component: Uint8Array, parts: InstallParts): Promise<Prepared> {
  const outline = outlineOf(component)
  const sha256 = hashOf(component)
  const folder = join(parts.cacheFolder, `tool-${generation}-${sha256}`)
  if (!existsSync(folder)) {
    const made = await transpileApart(component, parts)
    const about = { tool: made.outline.tool, witVersion: made.outline.witVersion }
    writeFolder(folder, new Map([...made.files, ['about.json', Buffer.from(JSON.stringify(about))]]))
  }
  return { sha256, folder, witVersion: outline.witVersion, imports: outline.imports }
}

async function transpileApart(
  component: Uint8Array,
  { deadlineMs = transpileDeadlineMs, signal }: InstallParts,
): Promise<{ outline: Outline; files: Map<string, Uint8Array> }> {
  const child = spawnTranspiler()
  const { promise, resolve: succeed, reject } = Promise.withResolvers<Frame>()
  const fail = (code: ToolFaultCode, message: string, cause?: unknown): void =>
    reject(new ToolFault(code, message, { cause }))
  const late = setTimeout(
    () => fail('transpile_timeout', `the component was not transpiled within ${deadlineMs / 1_000} s`),
    deadlineMs,
  )
  const abort = (): void => fail('transpile_failed', 'the installation was cancelled')
  signal?.addEventListener('abort', abort, { once: true })
  const read = createFrameReader(maxTranspiledBytes, succeed)
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (error) {
      fail('transpile_failed', `the component makes more than ${maxTranspiledBytes} bytes of code`, error)
    }
  })
  child.stdin.on('error', () => {})
  child.on('error', (error) =>
    fail('sandbox_unavailable', `the transpiler could not be started: ${error.message}`, error),
  )
  child.on('exit', (code, killed) =>
    fail('transpile_failed', `the transpiler broke off on this component (${killed ?? `code ${code}`})`),
  )
  child.stdin.end(component)
  try {
    return readAnswer(await promise)
  } finally {
    clearTimeout(late)
    signal?.removeEventListener('abort', abort)
    child.kill('SIGKILL')
  }
}

function spawnTranspiler() {
  const flags = [
    '--permission',
    '--no-experimental-sqlite',
    '--no-experimental-ffi',
    '--no-addons',
    `--allow-fs-read=${inCheckout('src', 'sandbox')}/*`,
    `--allow-fs-read=${inCheckout('package.json')}`,
    `--allow-fs-read=${inCheckout('node_modules')}/*`,
    '--wasm-max-mem-pages=16384',
    '--max-old-space-size=512',
    '--disable-warning=ExperimentalWarning',
  ]
  const limited = `unset PWD OLDPWD; ulimit -c 0; ulimit -t ${Math.ceil(transpileDeadlineMs / 1_000) * 2}; exec "$0" "$@"`
  const args = [
    '-c',
    limited,
    process.execPath,
    ...flags,
    inCheckout('src', 'sandbox', 'build', 'transpile-child.ts'),
    String(nobody),
  ]
  return spawn('/bin/sh', args, { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] })
}

/** What the transpiling process said. It has handled hostile bytes: its answer is checked like any other's. */
function readAnswer({ head, body }: Frame): { outline: Outline; files: Map<string, Uint8Array> } {
  if (!isObject(head)) throw new ToolFault('transpile_failed', 'the transpiler gave no answer')
  if (head.ok !== true) {
    const message = typeof head.message === 'string' ? head.message : 'the component could not be transpiled'
    throw new ToolFault((typeof head.code === 'string' ? head.code : 'transpile_failed') as ToolFaultCode, message)
  }
  const files = new Map<string, Uint8Array>()
  let at = 0
  for (const entry of Array.isArray(head.files) ? head.files : []) {
    if (!isObject(entry) || typeof entry.name !== 'string' || typeof entry.size !== 'number') continue
    if (!/^tool(\.core\d{0,3}\.wasm|\.js)$/.test(entry.name))
      throw new ToolFault('transpile_failed', 'an odd file name')
    files.set(entry.name, body.subarray(at, at + entry.size))
    at += entry.size
  }
  if (!files.has('tool.js') || !isObject(head.outline))
    throw new ToolFault('transpile_failed', 'the code is incomplete')
  return { outline: head.outline as unknown as Outline, files }
}
