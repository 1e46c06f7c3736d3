// The transport of a stdio server whose process no longer reads, or writes without end.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { kill } from '#lib/marked-processes.ts'
import { openAllFiles } from '../full-files.ts'
import { until } from '../until.ts'
import { createMasks } from './masks.ts'
import {
  createExitGuard,
  createStdioTransport,
  readErrorLines,
  type StdioParts,
  type StdioTransport,
  waitForLastWords,
} from '#mcp/stdio.ts'

const message = { jsonrpc: '2.0', method: 'ping', id: 1 } as const
const guard = createExitGuard()

type Server = Pick<StdioParts, 'command' | 'args'> & Partial<StdioParts>

function transportOf(server: Server): StdioTransport {
  return createStdioTransport({
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: '/',
    mark: `${server.command}${process.pid}`,
    guard,
    exact: new WeakMap(),
    mask: (text) => text,
    onErrorLine: () => {},
    onGarbage: () => {},
    onFault: () => {},
    ...server,
  })
}

/** A server that has closed its standard input and stays. */
async function openDeaf(t: TestContext, exitMs: number): Promise<{ transport: StdioTransport; end: () => void }> {
  const isDeaf = Promise.withResolvers<void>()
  const transport = transportOf({
    command: 'sh',
    args: ['-c', 'exec <&-; echo deaf >&2; exec sleep 600'],
    onErrorLine: () => isDeaf.resolve(),
    exitMs,
  })
  await transport.start()
  const { pid } = transport
  assert(pid)
  const end = (): void => kill(pid, 'SIGKILL')
  t.after(async () => {
    const closed = transport.close()
    end()
    await closed
  })
  await isDeaf.promise
  return { transport, end }
}

test('a message to a server that is about to end fails with its end, not with the broken pipe', async (t) => {
  const { transport, end } = await openDeaf(t, 600_000)
  const sent = [transport.send(message), transport.send(message)]
  end()
  await Promise.all(sent.map((each) => assert.rejects(each, { message: 'the server has ended' })))
  assert.equal(transport.ended(), 'it was ended by SIGKILL')
})

test('a server that closed its standard input and goes on is stopped', async (t) => {
  const { transport } = await openDeaf(t, 1)
  await assert.rejects(transport.send(message), { message: 'the server has ended' })
  assert.equal(transport.ended(), 'it closed its standard input and was stopped')
})

test('a server for whose pipes there are no files is not started, and harms nothing else', async () => {
  const transport = transportOf({ command: 'cat', args: [] })
  {
    using _ = openAllFiles()
    await assert.rejects(transport.start(), /too many open files/)
  }
  await transport.close()
  assert.match(transport.ended() ?? '', /^it could not be started \(too many open files/)
})

test('a server that writes lines without end leaves turns of the event loop to others', async (t) => {
  let lines = 0
  const transport = transportOf({ command: 'yes', args: ['x'], onGarbage: () => lines++ })
  await transport.start()
  t.after(() => transport.close())
  await until(() => lines > 0)
  let most = 0
  for (let turn = 0; turn < 20; turn++) {
    const before = lines
    await new Promise((resolve) => setImmediate(resolve))
    most = Math.max(most, lines - before)
  }
  // As many as one read of 64 KiB brings.
  assert.ok(most < 32_768, `${most} lines`)
})

test('standard error without end leaves turns of the event loop to others, and few lines are told', async () => {
  const [all, chunk] = [1_000, Buffer.from('x\n'.repeat(32_768))]
  let [chunks, turned] = [0, false]
  async function* endless(): AsyncGenerator<Buffer> {
    while (chunks++ < all && !turned) yield await Promise.resolve(chunk)
  }
  setImmediate(() => (turned = true))
  const lines: string[] = []
  await readErrorLines(endless(), { mask: (text) => text, onLine: (line) => lines.push(line) })
  assert.ok(chunks < all, 'it had a turn')
  assert.ok(lines.length >= 101 && lines.length <= 202)
})

test('lines of standard error are cut, and the last one is told though it has no end', async () => {
  const lines: string[] = []
  const chunks = [`${'a'.repeat(5_000)}\nb`, 'c\n', 'd'.repeat(1_500), 'e'.repeat(1_500), 'f'.repeat(1_500)]
  const stream = (async function* () {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk))
  })()
  await readErrorLines(stream, { mask: (text) => text, onLine: (line) => lines.push(line) })
  assert.deepEqual(lines, ['a'.repeat(2_000), 'bc', 'd'.repeat(1_500) + 'e'.repeat(500)])
})

test('a secret at the place where a line of standard error is cut is masked whole', async () => {
  const [lines, before] = [[] as string[], 'x'.repeat(1_990)]
  const stream = (async function* () {
    for (const chunk of [`${before}sesame-open\n${before}ses`, 'ame-open'])
      yield await Promise.resolve(Buffer.from(chunk))
  })()
  const { mask } = createMasks()
  await readErrorLines(stream, { mask, onLine: (line) => lines.push(line) })
  assert.deepEqual(lines, [`${before}***`, `${before}***`])
})

test('the last words of a server are read though this process was held up as it ended', async () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const drained = turn().then(turn).then(turn)
  let read = false
  void drained.then(() => (read = true))
  const waited = waitForLastWords(drained, 1)
  const heldUp = performance.now() + 100
  while (performance.now() < heldUp);
  await waited
  assert.ok(read)
  await waitForLastWords(new Promise(() => {}), 1)
})

test('a server that was stopped before its start is not started', async () => {
  const transport = transportOf({ command: 'sleep', args: ['600'] })
  await transport.close()
  await assert.rejects(transport.start(), /the server was stopped/)
  assert.equal(transport.pid, null)
})
