// `atrium tool` on the command line. Each command is loaded when it is used.
import type { Command } from 'commander'

/** Adds `atrium tool` and its subcommands. */
export function addTools(program: Command): void {
  const tool = program
    .command('tool')
    .description('install and manage tools of the agent: sandboxed WebAssembly components')
  const load = () => import('./tool-command.ts')
  const loadCredentials = () => import('./tool-auth-command.ts')
  tool
    .command('install <file>')
    .description('check a component, show what it may do, and install it')
    .requiredOption('--capabilities <file>', 'file with what the component may do')
    .requiredOption('--name <name>', 'name under which the agent calls it')
    .option('-y, --yes', 'agree to its permissions without being asked')
    .action(async (file, options) => (await load()).installTool(file, options))
  tool
    .command('list')
    .description('list the tools, built in and installed')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listTools(options))
  tool
    .command('info <name>')
    .description('show the description, permissions and parameters of a tool')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).showTool(name, options))
  tool
    .command('test <name>')
    .description('run one call in the sandbox and show its output, log and requests')
    .requiredOption('--params <json>', 'parameters of the call')
    .option('--context <json>', 'context of the call')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).testTool(name, options))
  tool
    .command('auth <name>')
    .description('sign a tool in: in the browser, or with a token from a prompt or standard input')
    .option('--use <tool>', 'use the secret of this other tool')
    .option('--no-browser', 'print the link without opening a browser')
    .action(async (name, options) => (await loadCredentials()).authTool(name, options))
  tool
    .command('setup <name>')
    .description('store the secrets that a tool needs, such as an OAuth client id')
    .option('--secret <name>', 'store only this secret')
    .option('--use <tool>', 'use the secret of this other tool')
    .action(async (name, options) => (await loadCredentials()).setUpTool(name, options))
  tool
    .command('shares')
    .description('list the tools that use a secret of another tool')
    .option('--json', 'print JSON')
    .action(async (options) => (await loadCredentials()).listShares(options))
  tool
    .command('forget <name> <secret>')
    .description('remove a secret of a tool, or end its use of another tool’s secret')
    .action(async (name, secret) => (await loadCredentials()).forgetSecret(name, secret))
  tool
    .command('new <name>')
    .description('create a folder for a tool in TypeScript')
    .action(async (name) => (await import('./tool-new-command.ts')).newTool(name))
  tool
    .command('build <path>')
    .description('build the component of a folder with a tool.ts, or of a core module (.wasm)')
    .option('--out <file>', 'output file; in dist/ of the folder by default')
    .action(async (path, options) => (await import('./tool-new-command.ts')).buildToolIn(path, options))
  tool
    .command('remove <name>')
    .description('remove an installed tool')
    .action(async (name) => (await load()).removeTool(name))
}
