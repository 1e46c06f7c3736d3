// `atrium tool` on the command line. Each command is loaded when it is used.
import type { Command } from 'commander'

/** Adds `atrium tool` and its subcommands. */
export function addTools(program: Command): void {
  const tool = program.command('tool').description('sandboxed components that the agent can call')
  const load = () => import('./tool-command.ts')
  const loadCredentials = () => import('./tool-auth-command.ts')
  tool
    .command('install <file>')
    .description('check a component, show what it may do, and install it')
    .requiredOption('--capabilities <file>', 'its capability file')
    .requiredOption('--name <name>', 'the name the agent calls it by')
    .option('-y, --yes', 'agree to what it may do without being asked')
    .action(async (file, options) => (await load()).installTool(file, options))
  tool
    .command('list')
    .description('list the tools, built in and installed')
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
    .description('sign a tool in: in the browser, or with a token that is asked for or read from standard input')
    .option('--use <tool>', 'use the secret that this other tool has')
    .option('--no-browser', 'print the link and open nothing')
    .action(async (name, options) => (await loadCredentials()).authTool(name, options))
  tool
    .command('setup <name>')
    .description('store the secrets that a tool needs for its set-up')
    .option('--secret <name>', 'only this one')
    .option('--use <tool>', 'use the secret that this other tool has')
    .action(async (name, options) => (await loadCredentials()).setUpTool(name, options))
  tool
    .command('shares')
    .description('list which tools use a secret of another')
    .option('--json', 'print JSON')
    .action(async (options) => (await loadCredentials()).listShares(options))
  tool
    .command('forget <name> <secret>')
    .description('remove a secret of a tool, or take back what it uses of another')
    .action(async (name, secret) => (await loadCredentials()).forgetSecret(name, secret))
  tool
    .command('new <name>')
    .description('make a folder for a tool in TypeScript')
    .action(async (name) => (await import('./tool-new-command.ts')).newTool(name))
  tool
    .command('build <path>')
    .description('make the component of a folder with a tool.ts, or of a core module (.wasm) in any language')
    .option('--out <file>', 'where to write it; dist/ in the folder otherwise')
    .action(async (path, options) => (await import('./tool-new-command.ts')).buildToolIn(path, options))
  tool
    .command('remove <name>')
    .description('remove a tool')
    .action(async (name) => (await load()).removeTool(name))
}
