// WASI for a guest: clocks, randomness, and output that goes to the call's log. No files, environment, arguments or
// terminal.

/** Receives what the guest prints. */
export type Print = (level: 'info' | 'warn', text: string) => void

/** Functions and classes by WASI interface, as the generated code expects them. */
export type WasiImports = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const { hrtime } = process
/** Loaded before any code of a tool: that could watch Node load it. Not by an import, which reads every member. */
const { randomBytes, randomFillSync } = process.getBuiltinModule('node:crypto')

const maxRandomBytes = 65_536
const maxBlockMs = 60_000
const writableBytes = 65_536n

class IoError {
  toDebugString(): string {
    return 'not available to tools'
  }
}

/** Ready at a time of the monotonic clock. `block` stops the whole process, which has nothing else to do. */
class Pollable {
  readonly #at: bigint
  constructor(at: bigint) {
    this.#at = at
  }
  ready(): boolean {
    return hrtime.bigint() >= this.#at
  }
  block(): void {
    const ms = Number((this.#at - hrtime.bigint()) / 1_000_000n)
    if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(ms, maxBlockMs))
  }
}

class InputStream {
  static {
    addMethods(InputStream, 'read blockingRead skip blockingSkip', refuseClosed)
  }
  subscribe(): Pollable {
    return new Pollable(0n)
  }
}

class OutputStream {
  static {
    addMethods(OutputStream, 'flush blockingFlush writeZeroes blockingWriteZeroesAndFlush', () => {})
    addMethods(OutputStream, 'splice blockingSplice', refuseClosed)
  }
  readonly #print: (text: string) => void
  constructor(print: (text: string) => void) {
    this.#print = print
  }
  checkWrite(): bigint {
    return writableBytes
  }
  write(bytes: Uint8Array): void {
    this.#print(Buffer.from(bytes).toString('utf8'))
  }
  blockingWriteAndFlush(bytes: Uint8Array): void {
    this.write(bytes)
  }
  subscribe(): Pollable {
    return new Pollable(0n)
  }
}

class TerminalInput {
  readonly kind = 'input'
}
class TerminalOutput {
  readonly kind = 'output'
}
class DirectoryEntryStream {
  readDirectoryEntry(): undefined {
    return undefined
  }
}
const fileMethods =
  'readViaStream writeViaStream appendViaStream advise syncData getFlags getType setSize setTimes read write sync stat ' +
  'readDirectory createDirectoryAt statAt setTimesAt linkAt openAt readlinkAt removeDirectoryAt renameAt symlinkAt ' +
  'unlinkFileAt isSameObject metadataHash metadataHashAt'

const refuse = (): never => {
  throw 'access' // eslint-disable-line no-throw-literal -- a WIT error code is thrown as text
}
/** A guest never gets one: there are no preopened folders. Its methods exist because the generated code binds them. */
class Descriptor {
  readonly kind = 'none'
  static {
    addMethods(Descriptor, fileMethods, refuse)
  }
}

/** The imports of one call. */
export function denyAllWasi(print: Print): WasiImports {
  const none = (): undefined => undefined
  const clock = { now: () => hrtime.bigint(), resolution: () => 1_000n }
  const wallNow = (): { seconds: bigint; nanoseconds: number } => {
    const ms = Date.now()
    return { seconds: BigInt(Math.floor(ms / 1_000)), nanoseconds: (ms % 1_000) * 1_000_000 }
  }
  const randomChunk = (length: bigint): Uint8Array => {
    if (length > BigInt(maxRandomBytes)) throw new Error(`more than ${maxRandomBytes} random bytes at once`)
    return randomFillSync(new Uint8Array(Number(length)))
  }
  const randomU64 = (): bigint => randomBytes(8).readBigUInt64LE()
  return {
    'wasi:cli/environment': { getEnvironment: () => [], getArguments: () => [], initialCwd: none },
    'wasi:cli/exit': { exit: refuseExit, exitWithCode: refuseExit },
    'wasi:cli/stdin': { getStdin: () => new InputStream() },
    'wasi:cli/stdout': { getStdout: () => new OutputStream((text) => print('info', text)) },
    'wasi:cli/stderr': { getStderr: () => new OutputStream((text) => print('warn', text)) },
    'wasi:cli/terminal-input': { TerminalInput },
    'wasi:cli/terminal-output': { TerminalOutput },
    'wasi:cli/terminal-stdin': { getTerminalStdin: none },
    'wasi:cli/terminal-stdout': { getTerminalStdout: none },
    'wasi:cli/terminal-stderr': { getTerminalStderr: none },
    'wasi:io/error': { Error: IoError },
    'wasi:io/poll': { Pollable, poll },
    'wasi:io/streams': { InputStream, OutputStream },
    'wasi:clocks/monotonic-clock': {
      ...clock,
      subscribeInstant: (at: bigint) => new Pollable(at),
      subscribeDuration: (wait: bigint) => new Pollable(clock.now() + wait),
    },
    'wasi:clocks/wall-clock': { now: wallNow, resolution: () => ({ seconds: 0n, nanoseconds: 1_000_000 }) },
    'wasi:random/random': { getRandomBytes: randomChunk, getRandomU64: randomU64 },
    'wasi:random/insecure': { getInsecureRandomBytes: randomChunk, getInsecureRandomU64: randomU64 },
    'wasi:random/insecure-seed': { insecureSeed: () => [randomU64(), randomU64()] },
    'wasi:filesystem/preopens': { getDirectories: () => [] },
    'wasi:filesystem/types': { Descriptor, DirectoryEntryStream, filesystemErrorCode: none },
  }
}

/** Methods that all do the same. The generated code expects them on the class. */
function addMethods({ prototype }: { prototype: object }, names: string, value: () => void): void {
  for (const name of names.split(' ')) Object.defineProperty(prototype, name, { value })
}

function refuseClosed(): never {
  throw { tag: 'closed' } // eslint-disable-line no-throw-literal -- a WIT error is thrown as its record
}

function refuseExit(): never {
  throw new Error('the tool ended its process instead of answering')
}

function poll(list: readonly Pollable[]): Uint32Array {
  for (;;) {
    const ready = list.flatMap((each, at) => (each.ready() ? [at] : []))
    if (ready.length > 0 || list.length === 0) return Uint32Array.from(ready)
    list[0]?.block()
  }
}
