// The process in which the commands of a test file run one after the other (test/atrium.ts): the command line is loaded
// once, not once per command. Each command gets what it would have in a process of its own: arguments, environment, folder
// and standard input. It has ended when nothing is left that would keep a process alive.
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { until } from './until.ts'

export type CommandOrder = {
  readonly main: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly input: string
}

type Listener = (...given: unknown[]) => void

const emitters: readonly NodeJS.EventEmitter[] = [process, process.stdout, process.stderr]

process.once('disconnect', () => process.exit())
process.on('message', (order: CommandOrder) => void run(order))

async function run({ main, args, env, cwd, input }: CommandOrder): Promise<void> {
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  const before = emitters.map(listenersOf)
  const open = process.getActiveResourcesInfo().length
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.argv = [process.execPath, main, ...args]
  process.exitCode = 0
  const stdin = Readable.from([Buffer.from(input)], { objectMode: false })
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true })
  // The entry runs again; the modules that it imports are loaded already.
  await import(`${pathToFileURL(main).href}?${randomUUID()}`)
  await until(() => process.getActiveResourcesInfo().length <= open)
  emitters.forEach((emitter, index) => {
    for (const [event, listener] of listenersOf(emitter))
      if (!before[index]?.some((known) => known[1] === listener)) emitter.off(event, listener)
  })
  process.send?.({ code: process.exitCode, stdout: stdout(), stderr: stderr() })
}

/** Keeps what is written to a stream from now on, for the function that is returned. */
function capture(stream: NodeJS.WriteStream): () => string {
  const chunks: Uint8Array[] = []
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    chunks.push(Buffer.from(chunk as string))
    const done = rest.find((each) => typeof each === 'function')
    if (done) process.nextTick(done)
    return true
  }
  return () => Buffer.concat(chunks).toString()
}

function listenersOf(emitter: NodeJS.EventEmitter): [string | symbol, Listener][] {
  return emitter
    .eventNames()
    .flatMap((event) =>
      emitter.rawListeners(event).map((listener): [string | symbol, Listener] => [event, listener as Listener]),
    )
}
