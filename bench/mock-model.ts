// A chat-completions server with minimal cost: it answers every request with the same 20 prepared tokens, and knows just
// enough HTTP for the clients of the benchmark. The model `mock-250ms` takes 250 ms for each token.
import { createServer, type Socket } from 'node:net'
import { listen } from './measured.ts'

const tokens = 20
const slowModel = /"model":"mock-(\d+)ms"/

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const frames = [...Array.from({ length: tokens }, (_, at) => chunk({ content: ` token${at}` })), lastFrames()]
const whole = Buffer.from(head + frames.join(''))

const server = createServer((socket) => {
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  let pending: Buffer = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
    for (let request = cut(pending); request; request = cut(pending)) {
      pending = request.rest
      const slow = request.body.includes('ms"') ? slowModel.exec(request.body.toString('latin1')) : null
      if (slow) trickle(socket, Number(slow[1]))
      else socket.write(whole)
    }
  })
})
listen(server)

/** The first complete request in the bytes, and the rest. */
function cut(bytes: Buffer): { body: Buffer; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const length = Number(/content-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1] ?? 0)
  const stop = end + 4 + length
  return stop <= bytes.length ? { body: bytes.subarray(end + 4, stop), rest: bytes.subarray(stop) } : undefined
}

function trickle(socket: Socket, tokenMs: number): void {
  socket.write(head)
  let at = 0
  const timer = setInterval(() => {
    if (!socket.destroyed) socket.write(frames[at] ?? '')
    at += 1
    if (at === frames.length || socket.destroyed) clearInterval(timer)
  }, tokenMs)
}

function lastFrames(): string {
  const usage = { prompt_tokens: 50, completion_tokens: tokens, total_tokens: 50 + tokens }
  return `${chunk({}, 'stop')}${frame(JSON.stringify({ ...base(), choices: [], usage }))}${frame('[DONE]')}0\r\n\r\n`
}

function chunk(delta: object, reason: string | null = null): string {
  return frame(JSON.stringify({ ...base(), choices: [{ index: 0, delta, finish_reason: reason }] }))
}

function base(): object {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'mock-1' }
}

/** One server-sent event as one HTTP chunk, as servers send them. */
function frame(data: string): string {
  const text = `data: ${data}\n\n`
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}
