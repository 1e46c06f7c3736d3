// The `workspace_shell` tool: runs a command in the operator's workspace and ends every process that it started.
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { Question } from '#core/question.ts'
import { reachInParams, type Tool } from '#core/tool.ts'
import { within, withDeadline } from '#lib/deadline.ts'
import { endMarked, kill } from '#lib/marked-processes.ts'
import { shellToolName } from '#core/tool-names.ts'
import { readParams, schemaOf } from '#core/tool-params.ts'
import { readerIn, wordsOf } from '#safety/reading-commands.ts'
import { confined, type Confinement, type Unconfined, whyUnconfined } from './confine.ts'
import { leadsOut } from './links-out.ts'
import { openFolder } from './safe-open.ts'

const defaultSecs = 60
const maxSecs = 600
const maxCommandChars = 20_000
/** The question about a longer command names only its first word; the preview shows all of it. */
const maxQuestionChars = 60
/** A long output is cut to its first and last this many characters. */
const maxPartChars = 15_000
/** How long to wait for the output to close: a process that could not be ended may keep it open. */
const maxCloseWaitMs = 1_000
/** The environment variable that is different for each command. */
const markName = 'COMMAND_ID'
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const parameters = schemaOf(
  {
    command: { type: 'string', minLength: 1, maxLength: maxCommandChars, description: 'For /bin/sh -c.' },
    timeout_secs: {
      type: 'integer',
      minimum: 1,
      maximum: maxSecs,
      description: `When it is ended; after ${defaultSecs} seconds without it.`,
    },
  },
  ['command'],
)

type Params = { readonly command: string; readonly timeout_secs?: number }

export type ShellParts = {
  readonly folderOf: (user: UserId) => string
  /** The real path of the service's home, which is hidden from commands where the system allows it. */
  readonly home: string
  /** Tries whether commands can be confined; undefined if they can. */
  readonly whyUnconfined?: (place: Confinement) => Promise<Unconfined | undefined>
}

/** The environment of a command, so that no secret of the service is in it. */
const environment = { PATH: path, LANG: 'C.UTF-8', TERM: 'dumb' }

/** Why commands in a workspace cannot be confined on this machine; undefined if they can. */
export function whyShellUnconfined(place: Confinement): Promise<Unconfined | undefined> {
  return whyUnconfined(place, environment)
}

export function createShellTool({ folderOf, home, whyUnconfined: why = whyShellUnconfined }: ShellParts): Tool {
  let known: Promise<Unconfined | undefined> | undefined
  const tryConfining = async (user: UserId): Promise<Unconfined | undefined> => {
    const trial = (known ??= why({ home, cwd: folderOf(user) }))
    const unconfined = await trial
    if (unconfined?.temporary && known === trial) known = undefined
    return unconfined
  }
  return {
    spec: {
      name: shellToolName,
      description:
        'Runs a command of the shell in the workspace and returns its exit code and what it printed. Waits for approval. Nothing can be typed into it, and what it leaves running is ended with it.',
      parameters,
    },
    effects: 'danger',
    policy: 'shell',
    about: {
      brief: 'Runs a command on this machine',
      may: ['Run a command as the user of the service', 'Whatever that user may do: files, network, programs'],
      cannot: [
        'Run for anybody but the operator',
        'See the files of the service itself, where the system can hide them',
      ],
    },
    reach(args) {
      const found = reachInParams(args)
      if (found?.type !== 'command') return undefined
      // Only the operator has this tool. A command with a link that leads out is granted exactly, not by its first word.
      const words = readerIn(found.command) === undefined ? [] : (wordsOf(found.command) ?? [])
      return leadsOut(words, { root: folderOf(operator), home }) ? found : { ...found, in: 'workspace' }
    },
    repeatable: false,
    untrusted: true,
    operatorOnly: true,
    async ask(args, { user }) {
      const { command, timeout_secs: timeoutSecs = defaultSecs } = readCommand(args)
      const preview = { type: 'command', command, cwd: 'the workspace', timeoutSecs } as const
      return { question: commandQuestion(command, !(await tryConfining(user))), preview }
    },
    async run(args, { user, signal, markUntrusted }) {
      const { command, timeout_secs: secs = defaultSecs } = readCommand(args)
      const root = folderOf(user)
      await using _made = await openFolder({ root, home, names: [] })
      markUntrusted?.('the output of a command')
      const cwd = await realpath(root)
      const unconfined = await tryConfining(user)
      // Perhaps it was approved, or is granted, as a confined command.
      if (unconfined?.temporary) {
        throw new AppError(
          'overloaded',
          `nothing was run: it cannot be confined now (${unconfined.reason}); try it again`,
        )
      }
      const hidden = unconfined ? undefined : home
      const { status, output } = await withDeadline(secs * 1000, signal, (either) =>
        runCommand(command, { cwd, hidden }, either),
      )
      signal.throwIfAborted()
      const head = status === 'late' ? `ended after ${secs} seconds: it took too long` : status
      return `${head}\n\n${output === '' ? '(no output)' : output}`
    },
  }
}

function readCommand(args: string): Params {
  const params = readParams(parameters, args) as Params
  if (params.command.includes('\0')) throw new AppError('invalid_input', 'command must not have a NUL character')
  return params
}

function commandQuestion(command: string, isConfined: boolean): Question {
  const first = command.trim().split(/\s/, 1)[0] ?? ''
  const short = command.length <= maxQuestionChars && !command.includes('\n')
  const does = isConfined
    ? 'Runs this command in the workspace folder of this machine.'
    : 'Runs this command in the workspace folder of this machine, where it can also read the keys and data of the service itself.'
  return {
    text: short ? `Run ${command}?` : `Run a command that begins with ${first}?`,
    code: short ? command : first,
    brief: short ? `Run ${command}` : `Run ${first} …`,
    sentence: `${does} Nothing has run yet.`,
    does,
    pending: 'Nothing has happened yet.',
  }
}

type CommandResult = { readonly status: string; readonly output: string }

type Place = {
  readonly cwd: string
  /** The home that the command does not see; undefined if it cannot be confined. */
  readonly hidden: string | undefined
}

async function runCommand(command: string, { cwd, hidden }: Place, signal: AbortSignal): Promise<CommandResult> {
  const { spawn } = await import('node:child_process')
  const mark = randomBytes(12).toString('hex')
  const env = { ...environment, HOME: cwd, [markName]: mark }
  const plain = { file: '/bin/sh', args: ['-c', command] }
  const { file, args } = hidden === undefined ? plain : confined(command, { home: hidden, cwd })
  // Its own process group, so that every process can be ended.
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = collectOutput(child)
  const endCommand = (): void => void (child.pid !== undefined && kill(-child.pid, 'SIGKILL'))
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const late = (): void => resolve('late')
  child.once('error', reject)
  child.once('exit', (code, ending) => resolve(code === null ? `ended by ${ending}` : `exit code ${code}`))
  const closed = new Promise<void>((done) => child.once('close', () => done()))
  if (signal.aborted) late()
  signal.addEventListener('abort', late, { once: true })
  try {
    const status = await promise
    endCommand()
    // In confinement the kernel has ended all of them.
    if (hidden === undefined) await endMarked(markName, (found) => found === mark)
    await within(maxCloseWaitMs, closed, () => {})
    return { status, output: output() }
  } finally {
    signal.removeEventListener('abort', late)
    endCommand()
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
}

/** Collects both streams in the order of arrival. Drops the middle of a long output. */
function collectOutput(child: ChildProcess): () => string {
  let [head, tail, dropped] = ['', '', 0]
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8')
    stream?.on('data', (chunk: Buffer) => {
      const text = decoder.write(chunk)
      const left = maxPartChars - head.length
      head += text.slice(0, left)
      tail += text.slice(left)
      dropped += Math.max(0, tail.length - maxPartChars)
      tail = tail.slice(-maxPartChars)
    })
    stream?.on('error', () => {})
  }
  return () =>
    (dropped === 0 ? head + tail : `${head}\n[… ${dropped} characters left out …]\n${tail}`).toWellFormed().trimEnd()
}
