// The whole loop behind a minimal HTTP server: runs a turn through the app and streams its deltas as events.
// `node front.ts HOME MODEL-ORIGIN WINDOW [THREADSxTURNS …]` first fills the home with threads.
import { createServer, type ServerResponse } from 'node:http'
import { readConfig } from '#config.ts'
import type { Event } from '#core/event.ts'
import { operator } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { openApp } from '#app.ts'
import { silentLog } from '#lib/log.ts'
import { fill } from './fill.ts'
import { listen } from './measured.ts'

const [home = '', origin = '', window = '', ...fillings] = process.argv.slice(2)
const env = {
  ATRIUM_HOME: home,
  LLM_PROVIDER: 'openai-compatible',
  LLM_MODEL: 'mock-1',
  LLM_BASE_URL: `${origin}/v1`,
  LLM_API_KEY: 'key-of-the-mock',
  LLM_WINDOW: window,
}
const app = await openApp({ configure: (settings) => readConfig(env, settings), log: silentLog })
const threads: string[][] = []
for (const filling of fillings) {
  const [count = 0, turns = 0] = filling.split('x').map(Number)
  threads.push(await fill(app, { threads: count, turns }))
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (text: string) => {
    body += text
  })
  request.on('end', () => {
    answer(body, response).catch((error: unknown) => {
      console.error(error)
      response.destroy()
    })
  })
})
listen(server, threads)

async function answer(body: string, response: ServerResponse): Promise<void> {
  const { message, thread } = JSON.parse(body) as { message: string; thread?: string }
  const { events } = await app.turns.start({
    user: operator,
    door: 'responses',
    ...(thread && { threadId: thread }),
    input: [textMessage('user', message)],
    options: {},
    whenBusy: 'refuse',
  })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for await (const batch of events) {
    const text = batch.map(line).join('')
    if (text !== '') response.write(text)
  }
  response.end()
}

function line(event: Event): string {
  if (event.type === 'delta') return `data: ${JSON.stringify({ delta: event.text })}\n\n`
  return event.type === 'turn' ? `data: ${JSON.stringify({ status: event.turn.status })}\n\n` : ''
}
