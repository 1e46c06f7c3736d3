// A plain chat in the terminal: a line in, a reply out.
import { createInterface } from 'node:readline/promises'
import { loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { openHome } from '#home.ts'
import { openLog } from '#lib/log.ts'
import { startService } from '#service.ts'
import { type ChatEvent, sendMessage } from '#turns/chat.ts'
import { reachAgent, runningService } from './attach.ts'
import { failure, paint } from './report.ts'

type Send = (message: string, threadId: string | undefined) => AsyncIterable<ChatEvent>

/** Chats until Ctrl+C, Ctrl+D or /quit. A service that already runs on this home does the work. */
export async function chat(): Promise<void> {
  const config = loadConfig()
  if (await runningService(config.home)) {
    const agent = await reachAgent('terminal')
    await converse((message, threadId) => agent.send(message, threadId), 'attached to the running service')
    return
  }
  const home = openHome(config.home)
  const service = await startService({
    configure: loadConfig,
    log: await openLog({ level: config.logLevel, file: home.logFile }),
    terminal: true,
  })
  try {
    await converse(
      (message, threadId) =>
        sendMessage(service.hall.turns, { user: operator, door: 'terminal', message, ...(threadId && { threadId }) }),
      service.lines.join('\n '),
    )
  } finally {
    await service.stop()
  }
}

async function converse(send: Send, greeting: string): Promise<void> {
  process.stdout.write(
    `${paint('1', ' ▣ Atrium')}  ${paint('2', greeting)}\n ${paint('2', '/new starts a thread, /quit ends; so do Ctrl+C and Ctrl+D')}\n\n`,
  )
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: paint('36', '▌ ') })
  let threadId: string | undefined
  lines.prompt()
  for await (const line of lines) {
    const message = line.trim()
    if (message === '/quit' || message === '/exit') break
    if (message === '/new') {
      threadId = undefined
      process.stdout.write(paint('2', 'a new thread begins with your next message\n'))
    } else if (message !== '') {
      try {
        threadId = await reply(send(message, threadId), threadId)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        failure(error)
        process.exitCode = 0
      }
    }
    lines.prompt()
  }
  lines.close()
  process.stdout.write('\n')
}

async function reply(events: AsyncIterable<ChatEvent>, threadId: string | undefined): Promise<string | undefined> {
  let thread = threadId
  process.stdout.write('\n')
  for await (const event of events) {
    if (event.type === 'started') thread = event.threadId
    if (event.type === 'delta') process.stdout.write(event.text)
    if (event.type === 'message') process.stdout.write('\n\n')
    if (event.type === 'tool')
      process.stdout.write(paint(event.failed ? '31' : '2', `${event.failed ? '▲' : '✓'} ${event.name}\n`))
    if (event.type === 'end' && event.error) process.stdout.write(`${paint('31', '▲')} ${event.error.message}\n\n`)
    if (event.type === 'end' && event.status === 'waiting')
      process.stdout.write(`${paint('33', '●')} waiting for an approval\n\n`)
  }
  return thread
}
