// The command line: all commands and their options. Each command's module is loaded when it is used.
import { Argument, Command, CommanderError } from 'commander'
import { type Flags, programName } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { readVersion } from '#lib/version.ts'
import type { ChatOptions } from './chat-command.ts'
import { commandTree, type Shell, shells } from './command-tree.ts'
import { addMcp } from './program-mcp.ts'
import { addMissions } from './program-mission.ts'
import { addNotify } from './program-notify.ts'
import { addJudgement } from './program-judgement.ts'
import { addSkills } from './program-skill.ts'
import { addTelegram } from './program-telegram.ts'
import { addThreads } from './program-threads.ts'
import { addTools } from './program-tool.ts'
import { addUpkeep } from './program-upkeep.ts'
import { addHelp, refuseExcess, refuseUnknown } from './refuse-arguments.ts'
import { endWithOutput, failure, usageExit } from './report.ts'

const highestPort = 65_535

/** Parses the arguments and runs one command; sets the exit code. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  endWithOutput()
  const program = buildProgram()
  try {
    await program.parseAsync([...argv])
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : usageExit
    else failure(error)
  }
}

/** The program with all commands. */
export function buildProgram(): Command {
  const program = new Command('atrium')
  program
    .description('A self-hosted agent: chat in the terminal and in the browser, HTTP APIs, webhooks.')
    .option('-v, --version', 'print the version and its commit')
    .helpOption('-h, --help', 'show this help')
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .addHelpText('after', () => examples(programName()))
    .option('--port <number>', 'port of the web gateway; overrides GATEWAY_PORT')
    .option('-c, --continue', 'chat: open the latest thread')
    .option('--thread <id>', 'chat: open this thread')
    .action(async ({ port, ...options }: Flags & ChatOptions, command: Command) => {
      refuseUnknown(command)
      await (await import('./start-command.ts')).start(flagsOf(port), options)
    })
  program.hook('preAction', async (_, action) => {
    const { port, version, ...chat } = program.opts<Flags & ChatOptions & { version?: boolean }>()
    if (version) {
      await printVersion()
      throw new CommanderError(0, 'commander.version', '')
    }
    if (port !== undefined && action !== program && action.name() !== 'serve')
      program.error(`error: --port is for 'atrium' and 'atrium serve', not for '${action.name()}'`)
    if (action !== program && Object.keys(chat).length > 0)
      program.error(`error: --continue and --thread before a command are for 'atrium' alone`)
  })
  program
    .command('serve')
    .description('run the service without a terminal: web gateway, Responses API, webhook channel')
    .option('--port <number>', 'port of the web gateway; overrides GATEWAY_PORT')
    .action(async ({ port }: Flags) => {
      await (await import('./serve-command.ts')).serve(flagsOf(port ?? program.opts<Flags>().port))
    })
  program
    .command('run [text]')
    .description('send one message and print the reply; piped input is attached')
    .option('-m, --message <text>', 'the exact message, for scripts; - reads it from standard input')
    .option('--thread <id>', 'continue this thread')
    .option('-c, --continue', 'continue the latest thread')
    .option('--model <name>', 'the model of the thread from this message on; `atrium model list` names those offered')
    .option('-a, --attach <path>', 'attach a picture or a text file; may be repeated', gathered)
    .option('--json', 'print one JSON object instead of the text')
    .action(async (text, options) => (await import('./run-command.ts')).run(text, options))
  addThreads(program)
  program
    .command('status')
    .description('show whether a service runs on this home, and its state')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./status-command.ts')).status(options))
  program
    .command('onboard')
    .description('set up the home: on a terminal by questions, elsewhere by flags; the first start does without it')
    .option('--provider <name>', 'the provider of the model')
    .option('--model <name>', 'the model; without it the default of the provider')
    .option('--base-url <url>', 'address of the server, with its version: https://…/v1')
    .option('--key-stdin', 'read the key from standard input')
    .option('-y, --yes', 'ask nothing')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./onboard-command.ts')).onboard(options))
  program
    .command('login')
    .description('print a one-time link that signs you in to the web page of the running service')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./login-command.ts')).login(options))
  program
    .command('doctor')
    .description('check this installation and say how to fix what is wrong')
    .option('--prove', 'attack a service of its own, in a scratch home on loopback, and say what held')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./doctor-command.ts')).doctor(options))
  addService(program)
  addJudgement(program)
  addTools(program)
  addMcp(program)
  addSkills(program)
  addUsers(program)
  addMemory(program)
  addMissions(program)
  addNotify(program)
  addTelegram(program)
  addSecrets(program)
  addModels(program)
  addUpkeep(program)
  program.command('version').description('print the version and its commit').action(printVersion)
  program
    .command('completion')
    .description('print a script that completes commands in a shell: eval "$(atrium completion bash)"')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(shells))
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./completion-scripts.ts')
      process.stdout.write(completionScript(shell, commandTree(program)))
    })
  addHelp(program)
  refuseExcess(program)
  return program
}

/** Examples for the help; each can be pasted unchanged. */
function examples(atrium: string): string {
  const lines = [
    ['', 'chat in this terminal, and run the web gateway'],
    [' serve --port 8000', 'run the service without a terminal'],
    [' run "what is 2+2?"', 'one message, one reply'],
    [' run "review" < notes.txt', 'piped input is attached'],
    [' model set ollama qwen3', 'choose the model'],
  ].map(([rest = '', does = '']) => `  ${atrium}${rest.padEnd(28)}${does}`)
  return `
Examples:
${lines.join('\n')}

The home is ~/.atrium, or the folder in ATRIUM_HOME: database, keys, tokens and logs.
Without a configured model, a small built-in offline model answers.
Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 130 interrupted.`
}

/** Collects the values of an option that may be repeated. */
function gathered(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

async function printVersion(): Promise<void> {
  const commit = (await import('#lib/commit.ts')).readCommit()
  process.stdout.write(`${readVersion()}${commit === undefined ? '' : ` (commit ${commit})`}\n`)
}

function flagsOf(port: string | undefined): Flags {
  if (port === undefined) return {}
  if (/^\d{1,5}$/.test(port) && Number(port) <= highestPort) return { port }
  throw new AppError('invalid_input', `--port takes a whole number from 0 to ${highestPort}, not ${port}`)
}

function addService(program: Command): void {
  const service = program.command('service').description('run Atrium as a service of systemd')
  const load = () => import('./service-command.ts')
  service
    .command('install')
    .description('install a unit for this home and start it; as root for the whole machine')
    .option('--print', 'print the unit and install nothing')
    .action(async (options) => (await load()).installService(options))
  service
    .command('status')
    .description('show whether the unit is installed and runs')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).serviceStatus(options))
  service
    .command('uninstall')
    .description('stop the service and remove its unit; the home stays')
    .action(async () => (await load()).uninstallService())
}

function addUsers(program: Command): void {
  const user = program.command('user').description('manage the users of this service and their tokens')
  const load = () => import('./user-command.ts')
  user
    .command('add <name>')
    .description('add a user and print their token, which is shown only once')
    .option('--expires-in-days <days>', 'number of days until the token expires; never by default')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).addUser(name, options))
  user
    .command('list')
    .description('list the users')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listUsers(options))
  user
    .command('token <name>')
    .description('create another token for a user; it is shown only once')
    .option('--expires-in-days <days>', 'number of days until the token expires; never by default')
    .option('--tools <names>', "the service's tools that turns of this token may use: none, or a,b; all by default")
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).addToken(name, options))
  user
    .command('remove <name>')
    .description('remove a user: stop their turns and erase their data')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).removeUser(name, options))
}

function addMemory(program: Command): void {
  const memory = program.command('memory').description('search, read and write the documents that the agent remembers')
  const load = () => import('./memory-command.ts')
  memory
    .command('search <words...>')
    .description('find documents; "quotes" for an exact phrase, word* for a beginning')
    .option('--limit <count>', 'maximum number', '10')
    .option('--json', 'print JSON')
    .action(async (words, options) => (await load()).searchMemory(words, options))
  memory
    .command('read <path>')
    .description('print a document')
    .option('--json', 'print JSON')
    .action(async (path, options) => (await load()).readMemory(path, options))
  memory
    .command('write <path> [text]')
    .description('write a document; without a text, standard input is read')
    .option('--append', 'add to the end instead of replacing')
    .option('--json', 'print JSON')
    .action(async (path, text, options) => (await load()).writeMemory(path, text, options))
  memory
    .command('list [folder]')
    .description('list the documents')
    .option('--json', 'print JSON')
    .action(async (folder, options) => (await load()).listMemory(folder, options))
  memory
    .command('delete <path>')
    .description('delete a document with its earlier versions')
    .option('--json', 'print JSON')
    .action(async (path, options) => (await load()).deleteMemory(path, options))
  memory
    .command('history <path>')
    .description('list the earlier versions of a document, the last twenty')
    .option('--json', 'print JSON')
    .action(async (path, options) => (await load()).memoryHistory(path, options))
  memory
    .command('restore <path> <revision>')
    .description('write an earlier version again')
    .option('--json', 'print JSON')
    .action(async (path, revision, options) => (await load()).restoreMemory(path, revision, options))
  memory
    .command('import <folder>')
    .description('import every text file of a folder as a document')
    .option('--json', 'print JSON')
    .action(async (folder, options) => (await load()).importMemory(folder, options))
  memory
    .command('export <folder>')
    .description('export every document to a folder')
    .option('--json', 'print JSON')
    .action(async (folder, options) => (await load()).exportMemory(folder, options))
}

function addSecrets(program: Command): void {
  const secret = program.command('secret').description('manage keys and passwords, which are stored encrypted')
  const load = () => import('./secret-command.ts')
  secret
    .command('set <name>')
    .description('store a secret; the value comes from a prompt or standard input')
    .action(async (name) => (await load()).setSecret(name))
  secret
    .command('list')
    .description('list the names of the secrets; values are never shown')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listSecrets(options))
  secret
    .command('remove <name>')
    .description('remove a secret')
    .action(async (name) => (await load()).removeSecret(name))
  secret
    .command('rotate')
    .description('encrypt all secrets with a new master key; stop the service first')
    .action(async () => (await load()).rotateKey())
}

function addModels(program: Command): void {
  const load = () => import('./model-command.ts')
  const model = program
    .command('model')
    .description('show, choose or test the model')
    .option('--json', 'print JSON')
    .action(async (options, command: Command) => {
      refuseUnknown(command)
      await (await load()).listModels(options)
    })
  model
    .command('list')
    .description('show the model in use and the providers')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listModels(options))
  model
    .command('set <provider> [model]')
    .description('choose the model if it answers; a running service uses it at once')
    .option('--base-url <url>', 'address of the server, with its version: https://…/v1')
    .option('--fallback <list>', 'models to ask when it does not answer: provider/model,…')
    .option('--force', 'store the choice without asking the model for a word first')
    .action(async (provider, name, options) => (await load()).setModel(provider, name, options))
  model
    .command('test')
    .description('ask the model in use for one word; show its answer, time and cost')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).testModel(options))
}
