// The transpiler: where its package lies, and the process that runs it on one component.
import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { within } from '#lib/deadline.ts'
import { inCheckout } from '#lib/checkout.ts'
import { printable } from '#safety/printable.ts'
import { createFrameReader, type Frame } from '#sandbox/child/frames.ts'
import { maxTranspiledBytes, maxTranspilerMib, transpileDeadlineMs } from '#sandbox/child/limits.ts'
import { nobody, spawnConfined } from '#sandbox/confine.ts'
import { ToolFault, type ToolFaultCode } from '#sandbox/sandbox-fault.ts'

export type Transpiler = {
  readonly version: string
  /** Where its code and its dependencies' lies: as it is reached, and where links lead. */
  readonly folders: readonly string[]
}

const packageName = '@bytecodealliance/jco-transpile'
/** As many as the system follows. */
const maxLinks = 40
const maxReasonChars = 300
const maxComplaintBytes = 8_192

/** Undefined when it is not installed: no component can be made ready then. */
export function findTranspiler(): Transpiler | undefined {
  const file = findFile()
  if (file === undefined) return undefined
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  const [place, real] = [file, realpathSync(file)].map((path) => dirname(dirname(dirname(path)))) as [string, string]
  return { version, folders: [...new Set([...stepsOf(place), real])] }
}

/** A folder, and every place that a chain of links leads to from there. */
function stepsOf(folder: string): string[] {
  const steps = [folder]
  for (let at = folder; steps.length <= maxLinks && lstatSync(at).isSymbolicLink(); steps.push(at)) {
    at = resolve(dirname(at), readlinkSync(at))
  }
  return steps
}

/** What the transpiling process says of a component. Throws a fault when it says nothing in time. */
export async function askTranspiler(
  component: Uint8Array,
  { folders }: Transpiler,
  { deadlineMs = transpileDeadlineMs, signal }: { deadlineMs?: number; signal?: AbortSignal },
): Promise<Frame> {
  const child = spawnConfined({
    script: inCheckout('src', 'sandbox', 'build', 'transpile-child.ts'),
    args: [String(nobody)],
    reads: [
      `${inCheckout('src', 'sandbox')}/*`,
      inCheckout('src', 'lib', 'utf8.ts'),
      inCheckout('package.json'),
      ...folders.map((folder) => `${folder}/*`),
    ],
    flags: ['--wasm-max-mem-pages=16384', '--max-old-space-size=512'],
    cpuSecs: Math.ceil(transpileDeadlineMs / 1_000) * 2,
    memoryMib: maxTranspilerMib,
    stderr: 'pipe',
  })
  const { promise, resolve: tell, reject } = Promise.withResolvers<Frame>()
  const fail = (code: ToolFaultCode, message: string, cause?: unknown): void =>
    reject(new ToolFault(code, message, { cause }))
  const abort = (): void => fail('transpile_failed', 'the installation was cancelled')
  signal?.addEventListener('abort', abort, { once: true })
  const read = createFrameReader(maxTranspiledBytes, tell)
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (error) {
      fail('transpile_failed', `the component makes more than ${maxTranspiledBytes} bytes of code`, error)
    }
  })
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (complaint.length < maxComplaintBytes) complaint += chunk
  })
  child.stdin.on('error', () => {})
  child.on('error', (error) =>
    fail('sandbox_unavailable', `the transpiler could not be started: ${error.message}`, error),
  )
  // On `close` all of its words have come, on `exit` they may not have.
  child.on('close', (code, killed) =>
    fail('transpile_failed', `the transpiler broke off (${reasonIn(complaint) ?? killed ?? `code ${code}`})`),
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

/** The line of a crash that says why; what stands around it is code and stack. */
function reasonIn(complaint: string): string | undefined {
  const lines = complaint.split('\n').map((line) => line.trim())
  const reason = lines.find((line) => /^(?:\w*Error\b|FATAL ERROR)/.test(line)) ?? lines.findLast((line) => line !== '')
  return reason === undefined ? undefined : printable(reason.slice(0, maxReasonChars))
}

function findFile(): string | undefined {
  try {
    return findPackageJSON(packageName, pathToFileURL(inCheckout('package.json')))
  } catch {
    return undefined
  }
}
