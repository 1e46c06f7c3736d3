// Servers over Streamable HTTP: one of npm, and a rude one of our own.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import type { McpTarget, OfferedTool } from '#core/mcp.ts'
import type { Bearer } from '#mcp/http.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { everything, open } from './harness.ts'

const never = new AbortController().signal
const echo: OfferedTool = { name: 'echo', description: '', schema: { type: 'object' } }

type Rpc = {
  id?: number | string
  method: string
  params?: { arguments?: unknown; _meta?: { progressToken?: number } }
}
type Answer = (rpc: Rpc, response: ServerResponse, request: IncomingMessage, body: string) => void

function json(response: ServerResponse, value: object, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/** Answers as a server of the older era does; `call` answers calls. */
function older(call: Answer): Answer {
  return (rpc, response, request, body) => {
    const { id, method } = rpc
    const serverInfo = { name: 'rude', version: '1' }
    if (method === 'initialize') {
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
      if (!response.hasHeader('mcp-session-id')) response.setHeader('mcp-session-id', 'session-1')
      return json(response, { jsonrpc: '2.0', id, result })
    }
    if (method === 'tools/list')
      return json(response, {
        jsonrpc: '2.0',
        id,
        result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      })
    if (method === 'tools/call') return call(rpc, response, request, body)
    if (id === undefined) return void response.writeHead(202).end()
    json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
  }
}

type Served = { readonly target: McpTarget & { kind: 'http' }; readonly seen: IncomingMessage[]; readonly port: number }

async function serve(t: TestContext, answer: Answer, headers: Record<string, string> = {}): Promise<Served> {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
      return
    }
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => answer(JSON.parse(body) as Rpc, response, request, body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { target: { kind: 'http', url: `http://127.0.0.1:${port}/mcp`, headers }, seen, port }
}

const said: Answer = ({ id }, response, _request, body) =>
  json(response, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: body }] } })

/** An event, with the number of the call for ID, on a stream that stays open. */
function openStream(event: string): Answer {
  return ({ id }, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(`${event.replace('ID', JSON.stringify(id))}\n\n`)
}

/** Starts the server of npm on a free port, and on another one if somebody has taken that meanwhile. */
async function startEverything(t: TestContext): Promise<number> {
  const [file = ''] = everything.args
  for (let left = 5; ; left--) {
    const port = await freePort()
    const child = spawn(everything.command, [file, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    let output = ''
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    await until(() => /listening on port|in use/i.test(output))
    if (!/in use/i.test(output)) return port
    assert.ok(left > 0, output)
  }
}

describe('a server over HTTP', { concurrency: true }, () => {
  test('of npm is listed and called, and its session is ended', async (t) => {
    const port = await startEverything(t)
    const { connection } = open(t, { kind: 'http', url: `http://localhost:${port}/mcp`, headers: {} })
    const args = '{"message": "hello"}'
    const answer = await connection.call({ tool: echo, args, signal: never })
    assert.match(answer.type === 'result' ? answer.text : '', /hello/)
  })

  test('gets the headers that were named, the session, and arguments as they were written', async (t) => {
    const { target, seen } = await serve(t, older(said), { 'X-Key': 'known' })
    const { connection } = open(t, target)
    const args = '{"n": 12345678901234567890, "a": 1.0}'
    const answer = await connection.call({ tool: echo, args, signal: never })
    assert.ok(answer.type === 'result' && answer.text.includes(args), JSON.stringify(answer))
    assert.ok(seen.every(({ headers }) => headers['x-key'] === 'sesame-open'))
    // Beside them the client asks for a stream of events, whenever it comes to that.
    const last = (method: string) => seen.findLast((request) => request.method === method)
    assert.equal(last('POST')?.headers['mcp-session-id'], 'session-1')
    await connection.stop()
    assert.equal(last('DELETE')?.headers['mcp-session-id'], 'session-1')
  })

  test('that answers with something else than a message is refused in plain words', async (t) => {
    const { target } = await serve(
      t,
      older(({ id }, response) => json(response, { jsonrpc: '2.0', id, result: null })),
    )
    const { connection } = open(t, target)
    await assert.rejects(connection.call({ tool: echo, args: '{}', signal: never }), {
      message: /: it sent a message that is not of the protocol$/,
    })
  })

  test('that answers another request than the one that was sent is not waited for', async (t) => {
    const { target } = await serve(
      t,
      older((_, response) => json(response, { jsonrpc: '2.0', id: 'other', result: { content: [] } })),
    )
    const { connection } = open(t, target)
    await assert.rejects(connection.call({ tool: echo, args: '{}', signal: never }), {
      message: /: it sent no answer to this request$/,
    })
  })

  for (const status of [400, 404]) {
    test(`that answers ${status} to a session that it no longer knows gets the call in a new one`, async (t) => {
      let [sessions, known] = [0, '']
      const calls: unknown[] = []
      const { target } = await serve(t, (rpc, response, request, body) => {
        const isStart = rpc.method === 'initialize'
        if (isStart) known = `session-${++sessions}`
        else if (rpc.method !== 'server/discover' && request.headers['mcp-session-id'] !== known)
          return json(response, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'No session' } }, status)
        if (isStart) response.setHeader('mcp-session-id', known)
        if (rpc.method === 'tools/call') calls.push(known)
        return older(said)(rpc, response, request, body)
      })
      const { connection } = open(t, target)
      const call = { tool: echo, args: '{}', signal: never }
      await connection.call(call)
      known = 'restarted'
      await Promise.all([connection.call(call), connection.call(call)])
      assert.deepEqual(calls, ['session-1', 'session-2', 'session-2'])
    })
  }

  test('that refuses two calls in a session that it no longer knows gets both in a new one, however late', async (t) => {
    let [sessions, known] = [0, '']
    let late: (() => void) | undefined
    const { target } = await serve(t, (rpc, response, request, body) => {
      if (rpc.method === 'initialize') response.setHeader('mcp-session-id', (known = `session-${++sessions}`))
      else if (rpc.method === 'tools/call' && request.headers['mcp-session-id'] !== known) {
        const refuse = (): void => void response.writeHead(404).end()
        if (late) return refuse()
        late = refuse
        return
      }
      return older(said)(rpc, response, request, body)
    })
    const { connection } = open(t, target)
    const call = { tool: echo, args: '{}', signal: never }
    await connection.call(call)
    known = 'restarted'
    const first = connection.call(call)
    await until(() => late !== undefined)
    assert.equal((await connection.call(call)).type, 'result')
    late?.()
    assert.equal((await first).type, 'result')
    assert.equal(sessions, 2)
  })

  test('that refuses a call in a session that it knows is not asked again', async (t) => {
    let calls = 0
    const { target, seen } = await serve(
      t,
      older((_rpc, response) => {
        calls++
        response.writeHead(400).end('no such argument')
      }),
    )
    const { connection } = open(t, target)
    const call = connection.call({ tool: echo, args: '{}', signal: never })
    await assert.rejects(call, { code: 'tool_refused', message: /it answered HTTP 400: no such argument/ })
    assert.equal(calls, 1)
    assert.ok(!seen.some(({ method }) => method === 'DELETE'), 'the session goes on')
  })

  test('that forgets each session at once is not asked without end', async (t) => {
    let starts = 0
    const { target } = await serve(t, (rpc, response, request, body) => {
      if (rpc.method === 'initialize') starts++
      if (rpc.method !== 'tools/call' && rpc.method !== 'ping') return older(said)(rpc, response, request, body)
      response.writeHead(404).end()
    })
    const { connection } = open(t, target)
    const call = connection.call({ tool: echo, args: '{}', signal: never })
    await assert.rejects(call, { code: 'tool_refused', message: /it answered HTTP 404/ })
    assert.equal(starts, 2)
  })

  test('streams progress before its result', async (t) => {
    let finish = (): void => {}
    const { target } = await serve(
      t,
      older(({ id, params }, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const send = (message: object): boolean =>
          response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
        send({ method: 'notifications/progress', params: { progressToken: params?._meta?.progressToken, progress: 1 } })
        finish = () => {
          send({ id, result: { content: [{ type: 'text', text: 'done' }] } })
          response.end()
        }
      }),
    )
    const { connection } = open(t, target)
    const seen: number[] = []
    const onProgress = ({ progress }: { progress: number }): void => void seen.push(progress)
    const answer = connection.call({ tool: echo, args: '{}', signal: never, onProgress })
    await until(() => seen.length === 1)
    finish()
    assert.deepEqual(await answer, { type: 'result', text: 'done', images: [], isError: false })
  })

  test('answers in a batch on a stream that stays open', async (t) => {
    const { target } = await serve(
      t,
      older(({ id }, response) => {
        const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }
        const answer = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: ${JSON.stringify([note, answer])}\n\n`)
      }),
    )
    const { connection } = open(t, target)
    const call = connection.call({ tool: echo, args: '{}', signal: never })
    assert.deepEqual(await call, { type: 'result', text: 'done', images: [], isError: false })
  })

  test('that only takes the probe of the newer era is spoken to in the older one', async (t) => {
    const { target } = await serve(t, (rpc, response, request, body) => {
      if (rpc.method !== 'server/discover') return older(said)(rpc, response, request, body)
      response.writeHead(202).end()
    })
    const { tools } = await open(t, target).connection.list(never)
    assert.equal(tools.length, 1)
  })

  const text = 'x'.repeat(300_000)
  for (const [what, result, read] of [
    ['long', { content: [{ type: 'text', text }] }, { text, isError: false }],
    ['of many unreadable blocks', { content: Array(1_001).fill(0), isError: true }, { isError: true }],
  ] as const) {
    for (const how of ['an answer', 'an event']) {
      test(`a result that is ${what} comes whole, as ${how}`, async (t) => {
        const { target } = await serve(
          t,
          older(({ id }, response) => {
            const answer = { jsonrpc: '2.0', id, result }
            if (how === 'an answer') return json(response, answer)
            response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(answer)}\n\n`)
          }),
        )
        const given = await open(t, target).connection.call({ tool: echo, args: '{}', signal: never })
        assert.ok(given.type === 'result')
        assert.deepEqual({ ...given, ...read }, given)
      })
    }
  }

  for (const [what, call, words] of [
    [
      'a redirect to another host',
      ((_rpc, response) => void response.writeHead(307, { location: 'http://localhost:1/' }).end()) as Answer,
      /not followed/,
    ],
    [
      'an answer that is too large',
      (({ id }, response) =>
        json(response, {
          jsonrpc: '2.0',
          id,
          result: { content: [{ type: 'text', text: 'x'.repeat(9 << 20) }] },
        })) as Answer,
      /over 8 MiB/,
    ],
    [
      'an event that is too large',
      ((_rpc, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`data: ${'x'.repeat(9 << 20)}`)) as Answer,
      /over 8 MiB/,
    ],
    [
      'a stream that ends too early',
      ((_rpc, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': hello\n\n')) as Answer,
      /ended too early/,
    ],
    [
      'a request that is only taken',
      ((_rpc, response) => void response.writeHead(202).end()) as Answer,
      /: it answered HTTP 202 to a request/,
    ],
    [
      'a stream that cannot be taken up again',
      ((_rpc, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: 1\ndata:\n\n')) as Answer,
      /: the stream of its answer ended and could not be taken up again$/,
    ],
    [
      'an error without a number',
      openStream('data: {"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no good"}}'),
      /: no good$/,
    ],
    [
      'a result that is no object',
      openStream('data: {"jsonrpc":"2.0","id":ID,"result":"done"}'),
      /: its answer is neither an object nor an error$/,
    ],
    [
      'a page that is no answer',
      ((_rpc, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>')) as Answer,
      /./,
    ],
    [
      'a compressed answer',
      ((_rpc, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end('{}')) as Answer,
      /compressed/,
    ],
    [
      'a long page of an error',
      ((_rpc, response) => void response.writeHead(500).end(`oops ${',\n'.repeat(9 << 20)}`)) as Answer,
      /: it answered HTTP 500: oops/,
    ],
    [
      'a long error',
      (({ id }, response) =>
        json(response, { jsonrpc: '2.0', id, error: { code: 1, message: `oops ${'x'.repeat(300_000)}` } })) as Answer,
      /: oops x+$/,
    ],
    [
      'an error of the server',
      ((_rpc, response) => void response.writeHead(500).end('oops\n')) as Answer,
      /: it answered HTTP 500: oops$/,
    ],
    [
      'a page that repeats a secret',
      ((_rpc, response) => void response.writeHead(403).end(`${'-'.repeat(495)}sesame-open`)) as Answer,
      /: it answered HTTP 403: -+\*\*\*$/,
    ],
    [
      'an error that repeats a secret',
      (({ id }, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: 'not sesame-open' } }))) as Answer,
      /: not \*\*\*$/,
    ],
    [
      'a page that tells of a wrong path',
      ((_rpc, response) => void response.writeHead(404).end('<!doctype html>\n<h1>Cannot POST')) as Answer,
      /: it answered HTTP 404 \(is the path of its URL right\?\)$/,
    ],
  ] as const) {
    test(`refused: ${what}`, async (t) => {
      const { target } = await serve(t, older(call))
      const { connection } = open(t, target, { callMs: 60_000 })
      await assert.rejects(connection.call({ tool: echo, args: '{}', signal: never }), {
        code: 'tool_refused',
        message: words,
      })
    })
  }

  test('that nobody has signed in to says so; a renewed token is tried once', async (t) => {
    let good = 'two'
    const { target, seen } = await serve(t, (rpc, response, request, body) => {
      if (request.headers.authorization === `Bearer ${good}`) return older(said)(rpc, response, request, body)
      response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://x/"' }).end()
    })
    const none = open(t, target).connection
    await assert.rejects(none.list(never), (error: Error & { code?: string; credential?: { command?: string } }) => {
      assert.equal(error.code, 'credential_missing')
      assert.equal(error.credential?.command, 'atrium mcp auth rude')
      return true
    })
    assert.equal(none.status().status, 'sign_in')
    let token = 'one'
    const challenges: (string | undefined)[] = []
    const bearer: Bearer = {
      token: () => Promise.resolve(token),
      refused: (_token, challenge) => {
        challenges.push(challenge)
        token = 'two'
        return Promise.resolve(challenges.length === 1 ? token : undefined)
      },
    }
    const { connection } = open(t, target, {}, bearer)
    await connection.list(never)
    assert.deepEqual(challenges, ['Bearer resource_metadata="http://x/"'])
    good = 'three'
    await assert.rejects(connection.call({ tool: echo, args: '{}', signal: never }), { code: 'credential_missing' })
    assert.ok(seen.length > 0)
  })
})
