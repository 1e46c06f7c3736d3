// `atrium` on a terminal: the terminal UI, with the doors in this process or attached to a running service. Simple
// terminals and pipes get the line chat.
import { type Flags, loadConfig, secretsIn, terminalTraits } from '#config.ts'
import { AppError } from '#core/errors.ts'
import type { OpenGate } from '#core/turn-store.ts'
import { openHome } from '#home.ts'
import { openLog } from '#lib/log.ts'
import { printable } from '#safety/printable.ts'
import { startService } from '#service.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { askService, runningService } from './running-service.ts'
import { endWithOutput, interruptedExit, paint, pasteable } from './report.ts'
import { serviceClient } from './service-client.ts'

const attached = 'attached to the running service'

/** Chats until the user quits. Uses the service that runs on this home, if there is one. */
export async function chat(flags: Flags): Promise<void> {
  endWithOutput()
  const config = loadConfig({}, flags)
  const plain = terminalTraits().dumb || !process.stdin.isTTY || !process.stdout.isTTY
  if (await runningService(config.home)) {
    const client = serviceClient(config.home)
    if (plain) await showLines(client, [attached])
    else await show({ client, location: `terminal · ${attached}`, greeting: await linkTo(config.home) })
    return
  }
  const home = openHome(config.home)
  const log = openLog({ level: config.logLevel, file: home.logFile, secrets: secretsIn(config) })
  const service = await startService({
    configure: (settings) => loadConfig(settings, flags),
    log,
    terminal: true,
  })
  try {
    const { client, lines, generatedToken } = service
    if (generatedToken !== undefined) log.revealSecret(`gateway token for this start only: ${generatedToken}`)
    const token = generatedToken === undefined ? [] : [`token    for this start only, in ${home.logFile}`]
    const greeting = [...lines, ...token]
    if (plain) await showLines(client, greeting)
    else await show({ client, location: `terminal · ${home.path}`, greeting })
  } finally {
    // A second Ctrl+C exits at once.
    process.once('SIGINT', () => process.exit(interruptedExit))
    if (service.app.runner.running > 0) process.stdout.write(paint('2', 'finishing open work, up to 10 s\n'))
    await service.stop()
  }
}

type Shown = { readonly client: OperatorClient; readonly location: string; readonly greeting: readonly string[] }

async function show({ client, location, greeting }: Shown): Promise<void> {
  const { runTerminal } = await import('#doors/terminal/terminal.ts')
  const { threadId } = await runTerminal({
    client: { ...client, gates: async () => (await client.gates()).map(withCommands) },
    location,
    greeting: greeting.map((line) => printable(pasteable(line))),
    shows: terminalTraits(),
    readFile: async (path) => (await import('./attachment.ts')).readAttachment(path),
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

/** A sign-in link to the running service's gateway, if it has one. */
async function linkTo(home: string): Promise<string[]> {
  try {
    const { link } = (await askService(home, '/login', {})) as { link: string }
    return [`sign in  ${link}  (once, within 10 minutes)`]
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

async function showLines(client: OperatorClient, greeting: readonly string[]): Promise<void> {
  const { converse } = await import('./line-chat.ts')
  await converse(client, greeting)
}
