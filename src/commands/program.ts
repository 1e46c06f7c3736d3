// The command line: all commands and their options. Each command's module is loaded when it is used.
import { Argument, Command, CommanderError } from 'commander'
import { type Flags, programName } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { readVersion } from '#lib/version.ts'
import { commandTree, type Shell, shells } from './command-tree.ts'
import { addMcp } from './program-mcp.ts'
import { addMemory } from './program-memory.ts'
import { addMissions } from './program-mission.ts'
import { addModels, addSecrets } from './program-model.ts'
import { addNotify } from './program-notify.ts'
import { addJudgement } from './program-judgement.ts'
import { addSkills } from './program-skill.ts'
import { addTelegram } from './program-telegram.ts'
import { addThreads } from './program-threads.ts'
import { addTools } from './program-tool.ts'
import { addService, addUpkeep } from './program-upkeep.ts'
import { addUsers } from './program-user.ts'
import { addHelp, refuseExcess } from './refuse-arguments.ts'
import { endWithOutput, failure, usageExit } from './report.ts'
import type { ThreadOptions } from './thread-option.ts'

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
    .action(async ({ port, ...options }: Flags & ThreadOptions) =>
      (await import('./start-command.ts')).start(flagsOf(port), options),
    )
  program.hook('preAction', async (_, action) => {
    const { port, version, ...chat } = program.opts<Flags & ThreadOptions & { version?: boolean }>()
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
    .option('-a, --attach <path>', 'attach a picture, a PDF or a text file; may be repeated', gathered)
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
    .option('--provider <name>', 'the provider of the model; `atrium model list` names them')
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
Exit codes: 0 success, 1 failure, 2 wrong usage or configuration.`
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
