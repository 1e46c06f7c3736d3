import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { boundPipelining } from '#http/pipelining.ts'
import { silentLog } from '#lib/log.ts'
import { until } from '../until.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** A server that keeps its answers for the test, and a client. */
async function open(t: TestContext): Promise<{ answers: ServerResponse[]; client: Socket; got: () => string }> {
  const answers: ServerResponse[] = []
  const server = createServer((_, response) => void answers.push(response))
  boundPipelining(server, silentLog)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as { port: number }).port, '127.0.0.1')
  let text = ''
  client.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  client.on('error', () => {})
  t.after(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  return { answers, client, got: () => text }
}

test('a connection with too many unanswered requests is cut, and the rest of them is not looked at', async (t) => {
  const { answers, client } = await open(t)
  const closed = once(client, 'close')
  client.write(get.repeat(1_000))
  await closed
  assert.equal(answers.length, 64)
})

test('requests that are answered make room for others on the same connection', async (t) => {
  const { answers, client, got } = await open(t)
  for (let round = 1; round <= 3; round++) {
    client.write(get.repeat(64))
    await until(() => answers.length === 64)
    for (const answer of answers.splice(0)) answer.end('x')
    await until(() => got().match(/200 OK/g)?.length === round * 64)
  }
  assert.equal(client.destroyed, false)
})
