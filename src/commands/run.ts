// `atrium run`: one message, one reply.
import { usageWire } from '#http/wire.ts'
import type { ChatEvent } from '#turns/chat.ts'
import { reachAgent } from './attach.ts'
import { readInput } from './input.ts'
import { paint } from './report.ts'

type Options = { readonly message: string; readonly thread?: string; readonly json?: boolean }

/** A little more than a message may have: what is wrong with it is told by the one rule there is. */
const maxInput = 2 * 1024 * 1024

/** Streams to a terminal; prints the reply alone to a pipe. Exit code 1 when the turn failed. */
export async function run({ message, thread, json }: Options): Promise<void> {
  const text =
    message === '-' ? (await readInput(maxInput, 'standard input holds more than a message may')).trimEnd() : message
  const agent = await reachAgent('run')
  try {
    const live = !json && process.stdout.isTTY
    let started: Extract<ChatEvent, { type: 'started' }> | undefined
    for await (const event of agent.send(text, thread)) {
      if (event.type === 'started') started = event
      else if (event.type === 'end') finish(event, started, { live, json: json ?? false })
      else if (live) show(event)
    }
  } finally {
    await agent.close()
  }
}

function show(event: ChatEvent): void {
  if (event.type === 'delta') process.stdout.write(event.text)
  if (event.type === 'message') process.stdout.write('\n')
  if (event.type === 'tool')
    process.stderr.write(paint('2', `${event.failed ? '▲' : '✓'} ${event.name}\n`, process.stderr))
}

type End = Extract<ChatEvent, { type: 'end' }>

function finish(
  end: End,
  started: Extract<ChatEvent, { type: 'started' }> | undefined,
  { live, json }: { live: boolean; json: boolean },
): void {
  if (json) {
    const { status, text, usage, error } = end
    const record = {
      thread_id: started?.threadId,
      turn_id: started?.turnId,
      // In the words of every other door.
      status: status === 'done' ? 'completed' : status,
      response: text,
      usage: usageWire(usage),
      ...(error && { error }),
    }
    process.stdout.write(`${JSON.stringify(record)}\n`)
  } else if (!live && end.status === 'done') process.stdout.write(`${end.text}\n`)
  if (end.status === 'done') return
  process.exitCode = 1
  if (json) return
  const why = end.error ? `${end.error.message} (${end.error.code})` : reasons[end.status]
  process.stderr.write(`${paint('31', 'error:', process.stderr)} ${why ?? `the turn is ${end.status}`}\n`)
}

const reasons: Readonly<Record<string, string>> = {
  waiting: 'the turn waits for an approval: answer it in the web UI',
  cancelled: 'the turn was cancelled',
}
