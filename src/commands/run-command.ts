// `atrium run`: one message, one reply.
import { AppError } from '#core/errors.ts'
import type { Part } from '#core/item.ts'
import type { Attached } from '#doors/terminal/attachment-list.ts'
import { gateWire } from '#doors/web/gate-wire.ts'
import { usageWire } from '#http/wire-format.ts'
import { createProse, printable } from '#safety/printable.ts'
import { type ChatEvent, sendMessage } from '#turns/exchange.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { chosenThread, type ThreadOptions } from './thread-option.ts'
import { askOperator } from './running-service.ts'
import { readInput } from './stdin.ts'
import { jsonText, paint, pasteable } from './report.ts'
import { createWorkingLine, type WorkingLine } from './working-line.ts'

type RunOptions = ThreadOptions & {
  readonly message?: string
  readonly attach?: readonly string[]
  readonly model?: string
  readonly json?: boolean
}
type Started = Extract<ChatEvent, { type: 'started' }>
type End = Extract<ChatEvent, { type: 'end' }>
type GateEvent = Extract<ChatEvent, { type: 'gate' }>

/** More than a message may have, so that `checkMessage` reports a message that is too long. */
const maxInputChars = 2 * 1024 * 1024
const inputTooLarge = 'standard input has more than 1 MiB, the most that a message or a text file may have'
/** The name of the attachment made from piped input. */
const inputName = 'standard input'

const waitsBehind =
  'the thread is busy: the message waits behind its turn; if that one waits for an approval, answer it with `atrium gates`'

/** Streams the reply to a terminal; prints only the reply to a pipe. Exit code 1 when the turn failed. */
export async function run(text: string | undefined, options: RunOptions): Promise<void> {
  const json = options.json ?? false
  const { message, piped } = await messageOf(text, options.message)
  const threadId = await chosenThread(options)
  const files = await readFiles(options.attach ?? [], piped)
  await askOperator('atrium threads', async (client) => {
    const live = !json && process.stdout.isTTY
    const working = createWorkingLine()
    const show = live ? createShow(working) : undefined
    const stop = cancelOnInterrupt(client)
    let started: Started | undefined
    let end: End | undefined
    let gate: GateEvent | undefined
    try {
      for await (const event of sendMessage(client, { door: 'run', message, threadId, files, model: options.model })) {
        if (event.type === 'started') {
          started = event
          stop.begin(event.turnId)
          if (event.queued) process.stderr.write(`${pasteable(waitsBehind)}\n`)
          working.begin()
        } else if (event.type === 'end') end = event
        else if (event.type === 'gate') gate ??= event
        else show?.(event)
      }
    } finally {
      working.end()
    }
    if (!end) throw new AppError('shutting_down', 'the service went away; the turn goes on after its restart')
    finish(end, { started, gate }, { live, json })
  })
}

type RunInput = { readonly message: string; readonly piped: string }

/**
 * The message and the piped input. Without a text, the piped input is the message. With `-m` standard input is read only
 * for `-`, because scripts leave it open.
 */
async function messageOf(text: string | undefined, option: string | undefined): Promise<RunInput> {
  if (text !== undefined && option !== undefined)
    throw new AppError('invalid_input', 'give the message once: as TEXT or with -m')
  const argument = text ?? option
  const isPiped = argument === '-' || (option === undefined && !process.stdin.isTTY)
  const input = isPiped ? (await readInput(maxInputChars, inputTooLarge)).trimEnd() : ''
  if (argument === undefined && input === '')
    throw new AppError('invalid_input', 'there is no message: give it as TEXT, with --message, or on standard input')
  const typed = argument === undefined || argument === '-' ? '' : argument
  return typed === '' ? { message: input, piped: '' } : { message: typed, piped: input }
}

/** The attachments in the order of the command line; piped input is the last one. */
async function readFiles(paths: readonly string[], piped: string): Promise<Part[]> {
  if (paths.length === 0 && piped === '') return []
  const [{ readAttachment }, { withFile }, { partOfFile }] = await Promise.all([
    import('./attachment.ts'),
    import('#doors/terminal/attachment-list.ts'),
    import('#turns/attachments.ts'),
  ])
  let files: readonly Attached[] = []
  for (const path of paths) files = withFile(files, await readAttachment(path))
  const bytes = Buffer.from(piped)
  if (piped !== '') files = withFile(files, { name: inputName, size: bytes.length, part: partOfFile(inputName, bytes) })
  return files.map(({ part }) => part)
}

/** The first Ctrl+C cancels the turn, the second exits at once. */
function cancelOnInterrupt(client: Pick<OperatorClient, 'cancel'>) {
  let asked = false
  let turn: string | undefined
  const cancel = (): void => {
    // Errors are ignored: the end of the turn shows the outcome.
    if (turn !== undefined) client.cancel(turn).catch(() => {})
  }
  process.on('SIGINT', () => {
    if (asked) process.exit(1)
    asked = true
    cancel()
  })
  return {
    begin(turnId: string): void {
      turn = turnId
      if (asked) cancel()
    },
  }
}

function createShow(working: WorkingLine): (event: ChatEvent) => void {
  const prose = createProse()
  return (event) => {
    working.end()
    if (event.type === 'delta') process.stdout.write(prose.next(event.text))
    if (event.type === 'message') process.stdout.write(`${prose.end()}\n`)
    if (event.type === 'tool')
      process.stderr.write(paint('2', `${event.failed ? '▲' : '✓'} ${printable(event.name)}\n`, process.stderr))
    // Within a line of the reply nothing else is drawn.
    if (event.type !== 'delta') working.begin()
  }
}

type Told = { readonly started: Started | undefined; readonly gate: GateEvent | undefined }

function finish(end: End, { started, gate }: Told, { live, json }: { live: boolean; json: boolean }): void {
  if (end.status !== 'completed') process.exitCode = 1
  if (json) {
    const { status, text, usage, error } = end
    const record = {
      thread_id: started?.threadId,
      turn_id: started?.turnId,
      // The same field names as at every other door.
      status,
      response: text,
      usage: usageWire(usage),
      ...(error && { error }),
      ...(status === 'waiting' && gate && { gate: gateWire(gate) }),
    }
    process.stdout.write(jsonText(record))
    return
  }
  if (!live && end.status === 'completed') process.stdout.write(`${end.text}\n`)
  if (end.status !== 'completed') {
    const why = end.error ? `${end.error.message} (${end.error.code})` : reasonOf(end.status, gate)
    const line = pasteable(printable(why ?? `the turn is ${end.status}`, { lines: true }))
    process.stderr.write(`${paint('31', 'error:', process.stderr)} ${line}\n`)
  }
  if (started) process.stderr.write(paint('2', `thread ${started.threadId}\n`, process.stderr))
}

function reasonOf(status: End['status'], gate: GateEvent | undefined): string | undefined {
  if (status === 'cancelled') return 'the turn was cancelled'
  if (status !== 'waiting') return undefined
  if (!gate) return 'the thread waits for an approval that came before: `atrium gates` shows it'
  if (gate.kind === 'input') return `${gate.prompt} Answer it with \`atrium gates\`.`
  if (gate.kind !== 'approval') return gate.prompt
  return `${gate.name} waits for your word (${gate.reason ?? gate.prompt}): answer it with \`atrium gates\``
}
