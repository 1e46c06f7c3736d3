import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { boundPipelining } from '#http/pipelining.ts'
import { silentLog } from '#lib/log.ts'
import { until } from '../until.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

type Opened = {
  readonly answers: ServerResponse[]
  readonly client: Socket
  readonly port: number
  readonly got: () => string
  /** Requests that Node has handed out, also those of a connection that was cut. */
  readonly handedOut: () => number
}

/** A server that keeps its answers for the test, and a client. */
async function open(t: TestContext): Promise<Opened> {
  const answers: ServerResponse[] = []
  const server = createServer((_, response) => void answers.push(response))
  boundPipelining(server, silentLog)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  const client = connect(port, '127.0.0.1')
  const emit = t.mock.method(server, 'emit')
  const handedOut = (): number => emit.mock.calls.filter(({ arguments: [name] }) => name === 'request').length
  let text = ''
  client.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  client.on('error', () => {})
  t.after(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  return { answers, client, port, got: () => text, handedOut }
}

test('a connection with too many unanswered requests is cut, and the rest of them is not parsed', async (t) => {
  const { answers, client, handedOut } = await open(t)
  const closed = once(client, 'close')
  client.write(get.repeat(1_000))
  await closed
  assert.deepEqual([answers.length, handedOut()], [16, 17])
})

test('the parser of a connection that was cut reads the next one as any other', async (t) => {
  const { answers, port } = await open(t)
  for (let round = 0; round < 3; round++) {
    const cut = connect(port, '127.0.0.1')
    cut.write(get.repeat(100))
    await once(cut, 'close')
  }
  const next = connect(port, '127.0.0.1')
  t.after(() => next.destroy())
  const before = answers.length
  next.write(get.repeat(3))
  await until(() => answers.length === before + 3)
})

test('requests that are answered make room for others on the same connection', async (t) => {
  const { answers, client, got } = await open(t)
  for (let round = 1; round <= 3; round++) {
    client.write(get.repeat(16))
    await until(() => answers.length === 16)
    for (const answer of answers.splice(0)) answer.end('x')
    await until(() => got().match(/200 OK/g)?.length === round * 16)
  }
  assert.equal(client.destroyed, false)
})
