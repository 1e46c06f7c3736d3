// The line chat, for simple terminals and pipes: each line is a message, followed by its reply.
import { createInterface, type Interface } from 'node:readline'
import { AppError } from '#core/errors.ts'
import { createProse, printable } from '#safety/printable.ts'
import { answerChat, type ChatEvent, sendMessage } from '#turns/exchange.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { commandOf } from '#turns/shell-command.ts'
import { createLineGates, type LineAnswer } from './line-gates.ts'
import { failure, paint, pasteable } from './report.ts'

const help = '/new starts a thread, /quit ends; Ctrl+C stops a reply, or ends; so does Ctrl+D'

type Conversation = {
  readonly greeting: readonly string[]
  readonly threadId?: string | undefined
  /** Ends the chat. */
  readonly end?: AbortSignal | undefined
  /** Default: standard input and output. */
  readonly input?: NodeJS.ReadableStream
  readonly output?: NodeJS.WritableStream
}

type Say = (text: string) => void

/** Chats until Ctrl+C, Ctrl+D or /quit. */
export async function converse(client: OperatorClient, conversation: Conversation): Promise<void> {
  const { greeting, threadId, end, input = process.stdin, output = process.stdout } = conversation
  if (end?.aborted) return
  const say: Say = (text) => void output.write(text)
  const head = greeting.map((line) => ` ${paint('2', pasteable(line))}\n`).join('')
  say(` ${paint('1', '▣ Atrium')}\n${head} ${paint('2', help)}\n\n`)
  const lines = createInterface({ input, output })
  const reply = createReply(client, threadId, say)
  const ending = endBy(lines, () => reply.stop())
  const ended = Promise.withResolvers<void>()
  end?.addEventListener('abort', () => {
    ending.stop()
    ended.resolve()
  })
  const prompt = (): void => {
    lines.setPrompt(reply.gates.asks() ? paint('33', pasteable(reply.gates.prompt())) : paint('36', '▌ '))
    lines.prompt()
  }
  prompt()
  for await (const line of lines) {
    const message = line.trim()
    if (message === '/quit' || message === '/exit') break
    try {
      // A reply that cannot be stored any more does not end.
      await Promise.race([obey(message, reply, say), ended.promise])
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failure(error)
      process.exitCode = 0
    }
    if (ending.stopped()) break
    // Lines that came before the end of the input are answered.
    if (!ending.closed()) prompt()
  }
  lines.close()
  say('\n')
}

/** Handles one line of input. */
async function obey(line: string, reply: ReturnType<typeof createReply>, say: Say): Promise<void> {
  const printNote = (words: string): void => say(paint('2', `${words}\n`))
  if (line === '/new' || line.startsWith('/new ')) {
    reply.anew()
    const words = line.slice('/new'.length).trim()
    if (words === '') printNote('a new thread begins with your next message')
    else await reply.show(words)
  } else if (line === '/help') printNote(help)
  // Other text that begins with a slash, such as a path or a skill with words after it, is a message.
  else if (/^\/[a-z]+$/.test(line) && !(await reply.knows(line.slice(1))))
    printNote(`there is no command ${line}: ${help}`)
  else if (reply.gates.asks()) {
    const taken = reply.gates.take(line)
    if ('answer' in taken) await reply.decide(taken.answer)
    else if (taken.say !== '') printNote(pasteable(taken.say))
  } else if (line !== '') await reply.show(line)
}

/** Ctrl+C stops the reply, or ends the chat when there is none. SIGTERM and SIGHUP end the chat. */
function endBy(lines: Interface, stopReply: () => boolean) {
  let [closed, stopped] = [false, false]
  const stop = (): void => {
    stopped = true
    lines.close()
  }
  lines.once('close', () => {
    closed = true
  })
  lines.on('SIGINT', () => {
    if (!stopReply()) stop()
  })
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  return { stop, stopped: () => stopped, closed: () => closed }
}

function createReply(client: OperatorClient, thread: string | undefined, say: Say) {
  let speaking = false
  let threadId = thread
  let turnId: string | undefined
  const gates = createLineGates()

  async function follow(events: AsyncIterable<ChatEvent>): Promise<void> {
    const show = createShow(say)
    speaking = true
    say('\n')
    try {
      for await (const event of events) {
        if (event.type === 'started') ({ threadId, turnId } = event)
        if (event.type === 'gate') gates.add(event)
        show(event)
      }
    } finally {
      speaking = false
      turnId = undefined
    }
    const waiting = gates.text()
    if (waiting !== undefined) say(`${paint('33', '●')} ${pasteable(waiting)}\n`)
  }

  return {
    /** Sends a message and shows its reply. */
    show: (message: string) =>
      follow(sendMessage(client, { door: 'terminal', message, threadId, command: commandOf(message) })),
    /** True for the name of a skill. */
    knows: async (name: string) => (await client.status()).skills.includes(name),
    /** Open gates of this thread's turn. */
    gates,
    async decide(answer: LineAnswer): Promise<void> {
      if (threadId !== undefined) await follow(answerChat(client, { threadId, ...answer }))
    },
    /** The next message starts a new thread; open gates of this one stay open. */
    anew(): void {
      threadId = undefined
      gates.clear()
    },
    /** Stops the reply; false when there is none. */
    stop(): boolean {
      // Errors are ignored: the end of the turn shows the outcome.
      if (turnId !== undefined) client.cancel(turnId).catch(() => {})
      return speaking
    },
  }
}

function createShow(say: Say): (event: ChatEvent) => void {
  const prose = createProse()
  return (event) => {
    if (event.type === 'delta') say(prose.next(event.text))
    if (event.type === 'message') say(`${prose.end()}\n\n`)
    if (event.type === 'tool')
      say(paint(event.failed ? '31' : '2', `${event.failed ? '▲' : '✓'} ${printable(event.name)}\n`))
    if (event.type === 'gate' && event.kind === 'credential')
      say(`${paint('33', '●')} ${pasteable(printable(event.prompt, { lines: true }))}\n\n`)
    if (event.type !== 'end') return
    if (event.error) say(`${paint('31', '▲')} ${pasteable(printable(event.error.message, { lines: true }))}\n\n`)
    if (event.status === 'cancelled') say(`${prose.end()}\n${paint('2', '■ stopped')}\n\n`)
  }
}
