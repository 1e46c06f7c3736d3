// A plain chat in the terminal: a line in, a reply out.
import { createInterface, type Interface } from 'node:readline'
import { type Flags, loadConfig, secretsIn } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { openHome } from '#home.ts'
import { openLog } from '#lib/log.ts'
import { createProse, printable } from '#safety/printable.ts'
import { startService } from '#service.ts'
import type { ChatEvent } from '#turns/chat.ts'
import { type Agent, agentOf, reachAgent, runningService } from './attach.ts'
import { endWithOutput, failure, paint, pasteable } from './report.ts'

/** Chats until Ctrl+C, Ctrl+D or /quit. A service that already runs on this home does the work. */
export async function chat(flags: Flags): Promise<void> {
  endWithOutput()
  const config = loadConfig({}, flags)
  if (await runningService(config.home)) {
    await converse(await reachAgent('terminal'), ['attached to the running service'])
    return
  }
  const home = openHome(config.home)
  const service = await startService({
    configure: (settings) => loadConfig(settings, flags),
    log: openLog({ level: config.logLevel, file: home.logFile, secrets: secretsIn(config) }),
    terminal: true,
  })
  try {
    await converse(
      agentOf(service.hall.turns, 'terminal', () => Promise.resolve()),
      service.lines,
    )
  } finally {
    await service.stop()
  }
}

async function converse(agent: Agent, greeting: readonly string[]): Promise<void> {
  const head = greeting.map((line) => ` ${paint('2', pasteable(line))}\n`).join('')
  const help = '/new starts a thread, /quit ends; Ctrl+C stops a reply, or ends; so does Ctrl+D'
  process.stdout.write(` ${paint('1', '▣ Atrium')}\n${head} ${paint('2', help)}\n\n`)
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: paint('36', '▌ ') })
  const reply = createReply(agent)
  const closed = closedBy(lines, () => reply.stop())
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
        threadId = await reply.show(message, threadId)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        failure(error)
        process.exitCode = 0
      }
    }
    if (closed()) break
    lines.prompt()
  }
  lines.close()
  process.stdout.write('\n')
}

/** Ctrl+C stops what is being said, and ends the chat when nothing is; so do the signals that ask a process to end. */
function closedBy(lines: Interface, stopReply: () => boolean): () => boolean {
  let closed = false
  lines.once('close', () => {
    closed = true
  })
  lines.on('SIGINT', () => {
    if (!stopReply()) lines.close()
  })
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => lines.close())
  return () => closed
}

function createReply(agent: Agent) {
  let speaking = false
  let turnId: string | undefined
  return {
    /** Shows the reply to a message; answers the thread it stands in. */
    async show(message: string, threadId: string | undefined): Promise<string | undefined> {
      let thread = threadId
      const show = createShow()
      speaking = true
      process.stdout.write('\n')
      try {
        for await (const event of agent.send(message, threadId)) {
          if (event.type === 'started') {
            thread = event.threadId
            turnId = event.turnId
          }
          show(event)
        }
      } finally {
        speaking = false
        turnId = undefined
      }
      return thread
    },
    /** Stops the reply; false when there is none. */
    stop(): boolean {
      // Whatever comes of it is told by the turn's end.
      if (turnId !== undefined) agent.cancel(turnId).catch(() => {})
      return speaking
    },
  }
}

function createShow(): (event: ChatEvent) => void {
  const prose = createProse()
  return (event) => {
    if (event.type === 'delta') process.stdout.write(prose.next(event.text))
    if (event.type === 'message') process.stdout.write(`${prose.end()}\n\n`)
    if (event.type === 'tool')
      process.stdout.write(paint(event.failed ? '31' : '2', `${event.failed ? '▲' : '✓'} ${printable(event.name)}\n`))
    if (event.type !== 'end') return
    if (event.error)
      process.stdout.write(`${paint('31', '▲')} ${pasteable(printable(event.error.message, { lines: true }))}\n\n`)
    if (event.status === 'waiting') process.stdout.write(`${paint('33', '●')} waiting for an approval\n\n`)
    if (event.status === 'cancelled') process.stdout.write(`${prose.end()}\n${paint('2', '■ stopped')}\n\n`)
  }
}
