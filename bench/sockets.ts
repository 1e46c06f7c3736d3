// WebSocket connections: the memory of an idle one, and the speed of a hundred busy ones.
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { percentile } from './compare.ts'
import { startDoor, token } from './service.ts'
import { fixed, type Suite } from './suite.ts'

/** The service's limit of connections for one user. */
const maxPerUser = 100
const deadlineMs = 60_000

export const sockets: Suite = async (bench) => {
  const { idle, busy, messages } = bench.scale.sockets
  const child = await startDoor(bench)
  const { origin } = child
  const tokens = await Promise.all(
    Array.from({ length: Math.ceil((idle + busy) / maxPerUser) }, (_, at) => addUser(origin, `user${at}`)),
  )
  const open = (at: number): Promise<WebSocket> => connect(origin, tokens[Math.floor(at / maxPerUser)] ?? '')
  // The first connection loads code that all of them share.
  const first = await connect(origin, token)
  const empty = await child.used()
  const quiet: WebSocket[] = []
  for (let at = 0; at < idle; at++) quiet.push(await open(at))
  const settled = await child.used()
  const talking = await Promise.all(Array.from({ length: busy }, (_, at) => open(idle + at)))
  const began = performance.now()
  const times = (await Promise.all(talking.map((ws) => talk(ws, messages)))).flat()
  const seconds = (performance.now() - began) / 1_000
  const loaded = await child.used()
  for (const ws of [first, ...quiet, ...talking]) ws.terminate()
  const kbEach = (settled.rssBytes - empty.rssBytes) / idle / 1_024
  return [
    {
      title: `Live connections: ${idle} idle, ${busy} busy beside them`,
      columns: ['', 'RSS MB', 'KB each', 'turns/s', 'p50 ms', 'p99 ms'],
      rows: [
        ['none', mb(empty.rssBytes), '-', '-', '-', '-'],
        [`${idle} idle`, mb(settled.rssBytes), fixed(kbEach, 1), '-', '-', '-'],
        [
          `and ${busy} busy`,
          mb(loaded.rssBytes),
          '-',
          fixed(times.length / seconds, 0),
          fixed(percentile(times, 50), 1),
          fixed(percentile(times, 99), 1),
        ],
      ],
    },
  ]
}

async function addUser(origin: string, name: string): Promise<string> {
  const response = await fetch(`${origin}/api/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  return ((await response.json()) as { token: string }).token
}

async function connect(origin: string, bearer: string): Promise<WebSocket> {
  const headers = { authorization: `Bearer ${bearer}` }
  const ws = new WebSocket(`${origin.replace('http', 'ws')}/api/chat/ws`, { headers, perMessageDeflate: false })
  await once(ws, 'message', { signal: AbortSignal.timeout(deadlineMs) })
  return ws
}

/** Sends messages one after the other, each after the previous turn has ended. Returns the time of each turn. */
async function talk(ws: WebSocket, count: number): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const began = performance.now()
    ws.send(JSON.stringify({ type: 'message', message: 'What is the capital of France, and why?' }))
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('a turn did not end')), deadlineMs)
      const onMessage = (data: Buffer): void => {
        const { type, status } = JSON.parse(data.toString('utf8')) as { type: string; status?: string }
        if (type !== 'turn' || status === 'running') return
        clearTimeout(timer)
        ws.off('message', onMessage)
        resolve()
      }
      ws.on('message', onMessage)
    })
    times.push(performance.now() - began)
  }
  return times
}

function mb(bytes: number): string {
  return fixed(bytes / 1e6, 0)
}
