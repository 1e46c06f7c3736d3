// The commands of `atrium user`.
import type { Command } from 'commander'

/** Adds `atrium user`. */
export function addUsers(program: Command): void {
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
