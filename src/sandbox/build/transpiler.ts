// Finds the transpiler's package, and runs it on one component in a confined process.
import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { within } from '#lib/deadline.ts'
import { hasPipes, pipeFault } from '#lib/pipes.ts'
import { inBundle } from '#lib/bundle.ts'
import { inCheckout } from '#lib/checkout.ts'
import { printable } from '#safety/printable.ts'
import { createFrameReader, type Frame } from '#sandbox/child/frames.ts'
import { maxTranspiledBytes, maxTranspilerMib, transpileDeadlineMs } from '#sandbox/child/limits.ts'
import { nobodyUid, spawnConfined } from '#sandbox/confine.ts'
import { ToolFault, type ToolFaultCode } from '#sandbox/sandbox-fault.ts'

export type Transpiler = {
  readonly version: string
  /** The script of the transpiling process. */
  readonly script: string
  /** Files that the process may read: its code, by the path under which it is found and by every target of its links. */
  readonly reads: readonly string[]
}

const packageName = '@bytecodealliance/jco-transpile'
/** Linux follows at most this many links. */
const maxLinks = 40
/** For a component up to this size, optimising the transpiler's own code takes longer than it saves. */
const maxUnoptimisedBytes = 2 * 1024 * 1024
const maxReasonChars = 300
const maxStderrChars = 8_192

/** The transpiler of the bundle, or the package that the sources use. Undefined when that is not installed. */
export function findTranspiler(): Transpiler | undefined {
  return bundledTranspiler() ?? packagedTranspiler()
}

function bundledTranspiler(): Transpiler | undefined {
  const script = inBundle('transpile-child.mjs')
  if (script === undefined) return undefined
  const files = ['core.wasm', 'core2.wasm'].map((end) => `js-component-bindgen-component.${end}`)
  const reads = [script, ...files.map((name) => join(dirname(script), name))]
  return { version: readAbout(join(dirname(script), 'transpiler.json')).version, script, reads }
}

function packagedTranspiler(): Transpiler | undefined {
  const file = findPackageFile()
  if (file === undefined) return undefined
  const [found, real] = [file, realpathSync(file)].map((path) => dirname(dirname(dirname(path)))) as [string, string]
  return {
    version: readAbout(file).version,
    script: inCheckout('src', 'sandbox', 'build', 'transpile-child.ts'),
    reads: [
      `${inCheckout('src', 'sandbox')}/*`,
      inCheckout('src', 'core', 'page-limits.ts'),
      inCheckout('src', 'lib', 'utf8.ts'),
      inCheckout('package.json'),
      ...new Set([...linkChain(found), real].map((folder) => `${folder}/*`)),
    ],
  }
}

function readAbout(file: string): { version: string } {
  return JSON.parse(readFileSync(file, 'utf8')) as { version: string }
}

/** A folder, and every folder that its chain of symbolic links leads to. */
function linkChain(folder: string): string[] {
  const chain = [folder]
  for (let at = folder; chain.length <= maxLinks && lstatSync(at).isSymbolicLink(); chain.push(at)) {
    at = resolve(dirname(at), readlinkSync(at))
  }
  return chain
}

/** Runs the transpiling process on a component and returns its frame. Throws a fault when there is none in time. */
export async function runTranspiler(
  component: Uint8Array,
  { script, reads }: Transpiler,
  { deadlineMs = transpileDeadlineMs, signal }: { deadlineMs?: number; signal?: AbortSignal },
): Promise<Frame> {
  const child = spawnConfined({
    script,
    args: [String(nobodyUid)],
    reads,
    flags: [
      '--wasm-max-mem-pages=16384',
      '--max-old-space-size=512',
      ...(component.length <= maxUnoptimisedBytes ? ['--liftoff-only'] : []),
    ],
    cpuSecs: Math.ceil(transpileDeadlineMs / 1_000) * 2,
    memoryMib: maxTranspilerMib,
    stderr: 'pipe',
  })
  if (!hasPipes(child)) throw new ToolFault('sandbox_unavailable', `the transpiler could not be started: ${pipeFault}`)
  const { promise, resolve: finish, reject } = Promise.withResolvers<Frame>()
  const fail = (code: ToolFaultCode, message: string, cause?: unknown): void =>
    reject(new ToolFault(code, message, { cause }))
  const abort = (): void => fail('transpile_failed', 'the installation was cancelled')
  signal?.addEventListener('abort', abort, { once: true })
  const read = createFrameReader(maxTranspiledBytes, finish)
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (error) {
      fail('transpile_failed', `the component makes more than ${maxTranspiledBytes} bytes of code`, error)
    }
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (stderr.length < maxStderrChars) stderr += chunk
  })
  child.stdin.on('error', () => {})
  child.on('error', (error) =>
    fail('sandbox_unavailable', `the transpiler could not be started: ${error.message}`, error),
  )
  // `close` comes after all output was read, `exit` may come before.
  child.on('close', (code, killed) =>
    fail('transpile_failed', `the transpiler broke off (${reasonIn(stderr) ?? killed ?? `code ${code}`})`),
  )
  child.stdin.end(component)
  try {
    return await within(deadlineMs, promise, () => {
      throw new ToolFault('transpile_timeout', `the component was not transpiled within ${deadlineMs / 1_000} s`)
    })
  } finally {
    signal?.removeEventListener('abort', abort)
    child.kill('SIGKILL')
  }
}

/** The line of a crash report that says why. The other lines are code and stack. */
function reasonIn(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim())
  const reason = lines.find((line) => /^(?:\w*Error\b|FATAL ERROR)/.test(line)) ?? lines.findLast((line) => line !== '')
  return reason === undefined ? undefined : printable(reason.slice(0, maxReasonChars))
}

function findPackageFile(): string | undefined {
  try {
    return findPackageJSON(packageName, pathToFileURL(inCheckout('package.json')))
  } catch {
    return undefined
  }
}
