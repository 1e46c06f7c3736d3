// `atrium mcp` on the command line. Each command is loaded when it is used.
import { type Command, Option } from 'commander'

/** Adds `atrium mcp` and its subcommands. */
export function addMcp(program: Command): void {
  const mcp = program.command('mcp').description('manage MCP servers, whose tools the agent can use')
  const load = () => import('./mcp-command.ts')
  const more = (value: string, before: string[] = []): string[] => [...before, value]
  mcp
    .command('add <name> [command...]')
    .description('start a server once, show what it offers, and add it: -- COMMAND ARG…, or --url')
    .option('--url <url>', 'address of a server that speaks Streamable HTTP')
    .option('--env <KEY=SECRET>', 'variable of the server, from a sealed secret or $VARIABLE; may be repeated', more)
    .option(
      '--header <Name: SECRET>',
      'header of each request, from a sealed secret or $VARIABLE; may be repeated',
      more,
    )
    .option('--everyone', 'all users have its tools, not only the operator')
    .option('--json', 'print JSON')
    .action(async (name, command, options) => (await load()).addServer(name, command, options))
  mcp
    .command('list')
    .description('list the servers')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listServers(options))
  mcp
    .command('info <name>')
    .description('show a server: its tools, what they may do, and what the server says about itself')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).showServer(name, options))
  mcp
    .command('set <name> [tool]')
    .description('say what calls of a tool may do, or who has the tools of a server')
    .addOption(
      new Option('--effect <effect>', 'read runs at once, write asks, off takes it out').choices([
        'read',
        'write',
        'off',
      ]),
    )
    .option('--everyone', 'all users have the tools of the server')
    .option('--no-everyone', 'only the operator has the tools of the server')
    .action(async (name, tool, options) => (await load()).setServer(name, tool, options))
  mcp
    .command('review <name> [tool]')
    .description('show what a server changed in its tools, and accept it')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print JSON')
    .action(async (name, tool, options) => (await load()).reviewServer(name, tool, options))
  mcp
    .command('auth <name>')
    .description('sign in to a server over HTTP')
    .option('--client-id <id>', 'a client that was registered by hand, for servers that register none')
    .option('--no-browser', 'only print the link')
    .action(async (name, options) => (await import('./mcp-auth-command.ts')).authServer(name, options))
  mcp
    .command('test <name> [tool]')
    .description('start a server and read its list, or make one call')
    .option('--params <json>', 'parameters of the call')
    .option('--json', 'print JSON')
    .action(async (name, tool, options) => (await load()).testServer(name, tool, options))
  mcp
    .command('import <file>')
    .description('add the servers of another client: its mcpServers, or servers of VS Code')
    .option('--json', 'print JSON')
    .action(async (file, options) => (await load()).importServers(file, options))
  mcp
    .command('remove <name>')
    .description('remove a server and its tools')
    .action(async (name) => (await load()).removeServer(name))
}
