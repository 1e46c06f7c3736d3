// The command line: what there is, how it is called. Each command is loaded when it is used.
import { Command, CommanderError } from 'commander'
import { readVersion } from '#lib/version.ts'
import { failure, usageExit } from './report.ts'

/** Parses the arguments and runs one command; sets the exit code. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const program = build()
  try {
    await program.parseAsync([...argv])
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : usageExit
    else failure(error)
  }
}

function build(): Command {
  const program = new Command('atrium')
  program
    .description('A self-hosted agent: one agent, many doors.')
    .version(readVersion(), '-V, --version')
    .exitOverride()
    .showHelpAfterError('(see atrium --help)')
    .configureHelp({ showGlobalOptions: false })
    .addHelpText(
      'after',
      `
Examples:
  atrium                        chat in this terminal, with the gateway beside it
  atrium serve                  run the service without a terminal
  atrium run -m "what is 2+2?"  one message, one reply
  atrium model set openai gpt-5.4-mini

Without a model configured, a small built-in offline model answers.
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.`,
    )
    .allowExcessArguments()
    .action(async (_options, { args }: Command) => {
      if (args.length > 0) program.error(`error: unknown command '${args[0]}'`)
      await (await import('./start.ts')).start()
    })
  program
    .command('serve')
    .description('run the service: web gateway, Responses API, webhook channel')
    .action(async () => (await import('./serve.ts')).serve())
  program
    .command('run')
    .description('send one message and print the reply')
    .requiredOption('-m, --message <text>', 'the message; - reads it from standard input')
    .option('--thread <id>', 'continue this thread')
    .option('--json', 'print one JSON object instead of the text')
    .action(async (options) => (await import('./run.ts')).run(options))
  program
    .command('status')
    .description('tell whether a service runs on this home, and how it is')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./status.ts')).status(options))
  program
    .command('doctor')
    .description('check this installation and say what to mend')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./doctor.ts')).doctor(options))
  addTools(program)
  addUsers(program)
  addSecrets(program)
  addModels(program)
  return program
}

function addTools(program: Command): void {
  const tool = program.command('tool').description('sandboxed components that the agent can call')
  const load = () => import('./tool.ts')
  tool
    .command('install <file>')
    .description('check a component, show what it may do, and install it')
    .requiredOption('--capabilities <file>', 'its capability file')
    .requiredOption('--name <name>', 'the name the agent calls it by')
    .option('-y, --yes', 'agree to what it may do without being asked')
    .action(async (file, options) => (await load()).installTool(file, options))
  tool
    .command('list')
    .description('list the installed tools')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listTools(options))
  tool
    .command('info <name>')
    .description('show what a tool is, what it may do and what it takes')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).showTool(name, options))
  tool
    .command('test <name>')
    .description('run one call in the sandbox and show all that happened')
    .requiredOption('--params <json>', 'its parameters')
    .option('--context <json>', 'the context it is called with')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).testTool(name, options))
  tool
    .command('auth <name>')
    .description('store the token a tool signs in with; it is asked for, or read from standard input')
    .action(async (name) => (await import('./credential.ts')).authTool(name))
  tool
    .command('setup <name>')
    .description('store the secrets that a tool needs for its set-up')
    .option('--secret <name>', 'only this one')
    .action(async (name, options) => (await import('./credential.ts')).setUpTool(name, options))
  tool
    .command('remove <name>')
    .description('remove a tool')
    .action(async (name) => (await load()).removeTool(name))
}

function addUsers(program: Command): void {
  const user = program.command('user').description('people who may use this service, and their tokens')
  const load = () => import('./user.ts')
  user
    .command('add <name>')
    .description('add a user and print a first token, once')
    .option('--expires-in-days <days>', 'let the token expire')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).addUser(name, options))
  user
    .command('list')
    .description('list the users')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listUsers(options))
  user
    .command('token <name>')
    .description('print one more token for a user, once')
    .option('--expires-in-days <days>', 'let the token expire')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).addToken(name, options))
  user
    .command('remove <name>')
    .description('remove a user; every token of theirs ends at once')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).removeUser(name, options))
}

function addSecrets(program: Command): void {
  const secret = program.command('secret').description('keys and passwords, sealed in the database')
  const load = () => import('./secret.ts')
  secret
    .command('set <name>')
    .description('store a secret; its value is asked for, or read from standard input')
    .action(async (name) => (await load()).setSecret(name))
  secret
    .command('list')
    .description('list the names; values are never shown')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listSecrets(options))
  secret
    .command('remove <name>')
    .description('remove a secret')
    .action(async (name) => (await load()).removeSecret(name))
}

function addModels(program: Command): void {
  const model = program.command('model').description('which model answers')
  const load = () => import('./model.ts')
  model
    .command('list', { isDefault: true })
    .description('show the model in use and the providers')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listModels(options))
  model
    .command('set <provider> [model]')
    .description('choose the model; a running service follows at once')
    .option('--base-url <url>', 'where an OpenAI-compatible server answers')
    .action(async (provider, name, options) => (await load()).setModel(provider, name, options))
}
