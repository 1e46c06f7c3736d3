// `atrium` on a terminal: the terminal UI, with the doors in this process or attached to a running service. Simple
// terminals and pipes get the line chat.
import { type Flags, loadConfig, secretsIn, terminalTraits } from '#config.ts'
import { AppError } from '#core/errors.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { durationWords } from '#core/words.ts'
import { openHome } from '#home.ts'
import { openLog } from '#lib/log.ts'
import { printable } from '#safety/printable.ts'
import { shutdownGraceMs, startService } from '#service.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { chosenThread, type ThreadOptions } from './thread-option.ts'
import { runningService } from './running-service.ts'
import { endWithOutput, paint, pasteable } from './report.ts'
import { serviceClient } from './service-client.ts'

const attached = 'attached to the running service'

/** Chats until the user quits. Uses the service that runs on this home, if there is one. */
export async function chat(flags: Flags, options: ThreadOptions = {}): Promise<void> {
  endWithOutput()
  const config = loadConfig({}, flags)
  const plain = terminalTraits().dumb || !process.stdin.isTTY || !process.stdout.isTTY
  const show = plain ? showLines : showScreen
  if (await runningService(config.home)) {
    const client = serviceClient(config.home)
    const thread = await threadOf(client, options)
    const location = `terminal · ${attached}`
    return show({ client, location, greeting: plain ? [attached] : [], hosts: false, thread })
  }
  const home = openHome(config.home)
  const log = openLog({ level: config.logLevel, file: home.logFile, secrets: secretsIn(config) })
  const service = await startService({
    configure: (settings) => loadConfig(settings, flags),
    log,
    terminal: true,
    // The log goes to a file, and the screen is not taken yet.
    onUpgrade: (words) => void process.stderr.write(`${words}\n`),
  })
  const end = new AbortController()
  void service.app.outdated.then((error) => end.abort(error))
  try {
    const { client, lines, generatedToken } = service
    if (generatedToken !== undefined) log.revealSecret(`gateway token for this start only: ${generatedToken}`)
    const token = generatedToken === undefined ? [] : [`token    for this start only, in ${home.logFile}`]
    const thread = await threadOf(client, options)
    const location = `terminal · ${home.path}`
    await show({ client, location, greeting: [...lines, ...token], hosts: true, thread, end: end.signal })
    end.signal.throwIfAborted()
    process.stdout.write(paint('2', pasteable('the service ran in this terminal and stops; `atrium serve` keeps it\n')))
  } catch (error) {
    // After an abort, other failures are its consequences.
    end.signal.throwIfAborted()
    throw error
  } finally {
    // A second Ctrl+C exits at once.
    process.once('SIGINT', () => process.exit(0))
    if (end.signal.aborted) await service.stop(0)
    else {
      const finishing = `finishing open work, up to ${durationWords(shutdownGraceMs)}\n`
      if (service.app.runner.running > 0) process.stdout.write(paint('2', finishing))
      await service.stop()
    }
  }
}

/** The thread to open; undefined for a new one. Throws not_found before the terminal is taken. */
async function threadOf(client: OperatorClient, options: ThreadOptions): Promise<string | undefined> {
  const chosen = await chosenThread(options)
  if (options.thread !== undefined && !(await client.thread(options.thread)))
    throw new AppError('not_found', `no thread has the id ${options.thread}: \`atrium threads\` lists them`)
  return chosen
}

type Shown = {
  readonly client: OperatorClient
  readonly location: string
  readonly greeting: readonly string[]
  /** The service runs in this process. */
  readonly hosts: boolean
  readonly thread: string | undefined
  /** Ends the chat. */
  readonly end?: AbortSignal
}

async function showScreen({ client, greeting, ...shown }: Shown): Promise<void> {
  const [{ runTerminal }, link] = await Promise.all([import('#doors/terminal/terminal.ts'), client.login()])
  const { threadId } = await runTerminal({
    ...shown,
    link,
    client: { ...client, gates: async () => (await client.gates()).map(withCommands) },
    greeting: greeting.map((line) => printable(pasteable(line))),
    shows: { ...terminalTraits(), commands: pasteable },
    readFile: async (path) => (await import('./attachment.ts')).readAttachment(path),
    listPaths: async (written) => (await import('./path-offers.ts')).offerPaths(written),
    chooseModel: async (provider, name, options) =>
      (await import('./model-command.ts')).storeModel(provider, name, options),
  })
  // Clear the line: text typed before the terminal UI started was echoed here, and is in the composer.
  process.stdout.write('\r\u001b[K')
  if (threadId !== undefined) process.stdout.write(paint('2', `thread ${threadId}\n`))
}

/** The gate with the commands in its prompt written for this shell. */
function withCommands(open: OpenGate): OpenGate {
  return { ...open, gate: { ...open.gate, prompt: pasteable(open.gate.prompt) } }
}

async function showLines({ client, greeting, thread, end }: Shown): Promise<void> {
  const { converse } = await import('./line-chat.ts')
  const link = await client.login()
  const signIn = link === undefined ? [] : [`sign in  ${link}  (once, within 10 minutes)`]
  await converse(client, { greeting: [...signIn, ...greeting], threadId: thread, end })
}
