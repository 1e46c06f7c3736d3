// The floors, the lower bounds to compare with: (A) a bare proxy of the model's stream, and (B) the same proxy that also
// stores the message and the answer, one insert each, synced to disk. `node floors.ts MODEL-ORIGIN [DATABASE]`; with a
// database it is (B).
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { listen } from './measured.ts'

const [origin = '', database] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
const store = database === undefined ? undefined : openStore(database)

const server = createServer((incoming, response) => {
  const upstream = request(`${origin}/v1/chat/completions`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': incoming.headers['content-length'] ?? '0' },
  })
  upstream.on('error', () => response.destroy())
  upstream.on('response', (answer) => pass(answer, response))
  if (!store) {
    incoming.pipe(upstream)
    return
  }
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const body = Buffer.concat(chunks)
    store(body.toString())
    upstream.end(body)
  })
})
listen(server)

function pass(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (!store) {
    answer.pipe(response)
    return
  }
  let text = ''
  answer.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    response.write(chunk)
  })
  answer.on('end', () => {
    store(text)
    response.end()
  })
}

function openStore(path: string): (text: string) => void {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL')
  db.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL)')
  const insert = db.prepare('INSERT INTO items (at, body) VALUES (?, ?)')
  return (text) => void insert.run(Date.now(), text)
}
