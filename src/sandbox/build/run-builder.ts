// Runs the component builder in a process of its own, without the environment of the service, with a deadline and a memory
// limit: it evaluates the tool's code.
import { spawn } from 'node:child_process'
import { inBundle } from '#lib/bundle.ts'
import { inCheckout } from '#lib/checkout.ts'
import { within } from '#lib/deadline.ts'
import { hasPipes, pipeFault } from '#lib/pipes.ts'

export type BuilderParts = {
  readonly witPath: string
  readonly jsSource: string
  /** The path of the source, from which its imports are resolved. */
  readonly jsPath: string
  readonly moduleRoot: string
}

export type BuilderAnswer =
  | { readonly type: 'component'; readonly component: Uint8Array }
  /** The builder's own words. */
  | { readonly type: 'fault'; readonly message: string }
  | { readonly type: 'no_builder'; readonly message: string }

/** What the process says: that the builder is loaded and begins, then its answer. */
export type BuilderMessage = { readonly type: 'started' } | BuilderAnswer

/** What became of a build: an answer, none in time after the start, or a process that ended or was stopped before that. */
export type BuilderOutcome =
  | BuilderAnswer
  | { readonly type: 'late' }
  | { readonly type: 'ended'; readonly how: string }

/** Writable memory of the process (`ulimit -d`). */
const maxBuilderMib = 2_048
/** Node and the builder load within a second. The rest is for slow machines. */
const startDeadlineMs = 60_000

export async function runBuilder(
  builder: string,
  parts: BuilderParts,
  { deadlineMs, startMs = startDeadlineMs }: { deadlineMs: number; startMs?: number },
): Promise<BuilderOutcome> {
  const script = inBundle('builder-child.mjs') ?? inCheckout('src', 'sandbox', 'build', 'builder-child.ts')
  // Not `spawnConfined`: it refuses addons, and the builder is one. Not every system supports `ulimit -d`.
  const limitThenExec = `unset PWD OLDPWD; ulimit -c 0; ulimit -d ${maxBuilderMib * 1_024} 2>/dev/null; exec "$0" "$@"`
  const child = spawn('/bin/sh', ['-c', limitThenExec, process.execPath, script], {
    env: {},
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  if (!hasPipes(child)) return { type: 'ended', how: pipeFault }
  const started = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<BuilderOutcome>()
  const gone = Promise.withResolvers<void>()
  child.on('message', (message: BuilderMessage) => (message.type === 'started' ? started.resolve() : end(message)))
  child.once('exit', (code, signal) => {
    end({ type: 'ended', how: signal ?? `code ${code}` })
    gone.resolve()
  })
  child.on('error', (error) => {
    end({ type: 'ended', how: error.message })
    if (child.pid === undefined) gone.resolve()
  })
  child.send({ builder, parts }, () => {})
  try {
    const early = await within(startMs, Promise.race([started.promise, ended]), () => notStarted)
    return early ?? (await within(deadlineMs, ended, () => ({ type: 'late' }) as const))
  } finally {
    child.kill('SIGKILL')
    await gone.promise
  }
}

const notStarted: BuilderOutcome = { type: 'ended', how: 'it did not start in time' }
