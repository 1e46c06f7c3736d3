// The line chat, for simple terminals and pipes: each line is a message, followed by its reply.
import { createInterface, type Interface } from 'node:readline'
import { AppError } from '#core/errors.ts'
import { inputLines, pendingLine, previewLines, questionLine } from '#doors/terminal/gate-lines.ts'
import { createProse, printable } from '#safety/printable.ts'
import { answerChat, type ChatEvent, sendMessage } from '#turns/exchange.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { failure, paint, pasteable } from './report.ts'

type GateEvent = Extract<ChatEvent, { type: 'gate' }>

/** Longer previews are truncated. */
const maxShownChars = 4_000
const help = '/new starts a thread, /quit ends; Ctrl+C stops a reply, or ends; so does Ctrl+D'

/** Chats until Ctrl+C, Ctrl+D or /quit. */
export async function converse(client: OperatorClient, greeting: readonly string[]): Promise<void> {
  const head = greeting.map((line) => ` ${paint('2', pasteable(line))}\n`).join('')
  process.stdout.write(` ${paint('1', '▣ Atrium')}\n${head} ${paint('2', help)}\n\n`)
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const reply = createReply(client)
  const closed = closedBy(lines, () => reply.stop())
  const prompt = (): void => {
    lines.setPrompt(reply.asks() ? paint('33', 'Allow once? y or n ▌ ') : paint('36', '▌ '))
    lines.prompt()
  }
  prompt()
  for await (const line of lines) {
    const message = line.trim()
    if (message === '/quit' || message === '/exit') break
    try {
      await obey(message, reply)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failure(error)
      process.exitCode = 0
    }
    if (closed()) break
    prompt()
  }
  lines.close()
  process.stdout.write('\n')
}

/** Handles one line of input. */
async function obey(line: string, reply: ReturnType<typeof createReply>): Promise<void> {
  const printNote = (words: string): void => void process.stdout.write(paint('2', `${words}\n`))
  if (line === '/new') {
    reply.anew()
    printNote('a new thread begins with your next message')
  } else if (line === '/help') printNote(help)
  // Other text that begins with a slash, such as a path or a skill with words behind it, is a message.
  else if (/^\/[a-z]+$/.test(line) && !(await reply.knows(line.slice(1))))
    printNote(`there is no command ${line.split(/\s/, 1)[0]}: ${help}`)
  else if (reply.asks()) {
    if (/^(y|yes|n|no)$/i.test(line)) await reply.decide(/^y/i.test(line) ? 'allow' : 'deny')
    else printNote('y allows it once, n does not; /new leaves it open and begins another thread')
  } else if (line !== '') await reply.show(line)
}

/** Ctrl+C stops the reply, or ends the chat when there is none. SIGTERM and SIGHUP end the chat. */
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

function createReply(client: OperatorClient) {
  let speaking = false
  let threadId: string | undefined
  let turnId: string | undefined
  /** Open approvals of this thread's turn, oldest first. */
  let gates: readonly GateEvent[] = []

  async function follow(events: AsyncIterable<ChatEvent>): Promise<void> {
    const show = createShow()
    speaking = true
    process.stdout.write('\n')
    try {
      for await (const event of events) {
        if (event.type === 'started') ({ threadId, turnId } = event)
        if (event.type === 'gate' && event.kind === 'approval') gates = [...gates, event]
        show(event)
      }
    } finally {
      speaking = false
      turnId = undefined
    }
    if (gates[0]) process.stdout.write(approvalText(gates[0]))
  }

  return {
    /** Sends a message and shows its reply. */
    show: (message: string) => follow(sendMessage(client, { door: 'terminal', message, threadId })),
    /** True for the name of a skill. */
    knows: async (name: string) => (await client.status()).skills.includes(name),
    /** True while an approval is open. */
    asks: () => gates.length > 0,
    async decide(decision: 'allow' | 'deny'): Promise<void> {
      const [gate, ...others] = gates
      gates = others
      if (!gate || !threadId) return
      await follow(answerChat(client, { threadId, callId: gate.callId, decision }))
    },
    /** The next message starts a new thread; open gates of this one stay open. */
    anew(): void {
      threadId = undefined
      gates = []
    },
    /** Stops the reply; false when there is none. */
    stop(): boolean {
      // Errors are ignored: the end of the turn shows the outcome.
      if (turnId !== undefined) client.cancel(turnId).catch(() => {})
      return speaking
    },
  }
}

/** What is done elsewhere before the turn goes on. */
function promptOf({ prompt, input }: GateEvent): string {
  const words = printable(prompt, { lines: true })
  return input ? `${words}\n${inputLines(input).join('\n')}\nAnswer it with \`atrium gates\`.` : words
}

/** The approval dialog: the question, what the call would do, and the reason. */
function approvalText(gate: GateEvent): string {
  const { reason } = gate
  const preview = previewLines(gate).join('\n')
  const shown =
    preview.length > maxShownChars ? `${preview.slice(0, maxShownChars)} … (${preview.length} characters)` : preview
  const why = reason ? `Asked: ${printable(reason)}\n` : ''
  const question = `${questionLine(gate)}  ${pendingLine(gate)}`
  return `${paint('33', '●')} Waiting for you: ${question}\n${shown}\n${why}\n`
}

function createShow(): (event: ChatEvent) => void {
  const prose = createProse()
  return (event) => {
    if (event.type === 'delta') process.stdout.write(prose.next(event.text))
    if (event.type === 'message') process.stdout.write(`${prose.end()}\n\n`)
    if (event.type === 'tool')
      process.stdout.write(paint(event.failed ? '31' : '2', `${event.failed ? '▲' : '✓'} ${printable(event.name)}\n`))
    if (event.type === 'gate' && event.kind !== 'approval')
      process.stdout.write(`${paint('33', '●')} ${pasteable(promptOf(event))}\n\n`)
    if (event.type !== 'end') return
    if (event.error)
      process.stdout.write(`${paint('31', '▲')} ${pasteable(printable(event.error.message, { lines: true }))}\n\n`)
    if (event.status === 'cancelled') process.stdout.write(`${prose.end()}\n${paint('2', '■ stopped')}\n\n`)
  }
}
