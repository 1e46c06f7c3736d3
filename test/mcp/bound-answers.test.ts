// Answers to the requests of a server: as many as it likes one after another, a few at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../until.ts'
import { connectTo, echo, fakeServer, type FakeServer } from './fake-server.ts'

const never = new AbortController().signal

/** A server whose side of a connection takes answers when it likes. Returns how many have begun, and the wait for them. */
function slowReader(server: FakeServer) {
  const { transport } = server.opened
  const send = transport.send.bind(transport)
  const read = Promise.withResolvers<void>()
  const answers: unknown[] = []
  transport.send = async (message, options) => {
    if ('method' in message) return send(message, options)
    answers.push(message)
    await read.promise
  }
  return { answers, read: () => read.resolve() }
}

test('a server that asks for more than 32 answers at once is stopped, and its calls say why', async () => {
  const server = fakeServer()
  const { answers } = slowReader(server)
  const connection = connectTo([server])
  const call = connection.call({ tool: echo, args: '{}', signal: never })
  const refused = assert.rejects(call, /asked for more than 32 answers at once and was stopped/)
  await until(() => server.seen.some(({ method }) => method === 'tools/call'))
  for (let id = 0; id < 1_000; id++) server.send({ id: `s${id}`, method: 'ping' })
  await refused
  assert.equal(answers.length, 32)
  assert.equal(connection.status().status, 'failed')
})

test('32 answers at once are sent, and any number one after another', async () => {
  const server = fakeServer()
  const { answers, read } = slowReader(server)
  const connection = connectTo([server])
  await connection.list(never)
  for (let id = 0; id < 32; id++) server.send({ id: `s${id}`, method: 'ping' })
  await until(() => answers.length === 32)
  read()
  for (let id = 32; id < 100; id++) {
    server.send({ id: `s${id}`, method: 'ping' })
    await until(() => answers.length === id + 1)
  }
  assert.equal(connection.status().status, 'ready')
  await connection.stop()
})
