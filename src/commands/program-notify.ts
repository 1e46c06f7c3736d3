// `atrium notify` on the command line. Each command is loaded when it is used.
import type { Command } from 'commander'

export function addNotify(program: Command): void {
  const notify = program.command('notify').description('how you are told of news: requests, long work, failures')
  const load = () => import('./notify-command.ts')
  notify
    .command('list')
    .description('list the ways to you, and quiet hours')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listWays(options))
  notify
    .command('add <kind> [url]')
    .description('add a way: ntfy and the address of a topic, such as https://ntfy.sh/TOPIC')
    .option('--events <names>', 'needs_you, finished, failed, with commas between them; all by default')
    .option('--content', 'messages have the words of the thread, not just its title')
    .option('--no-content', 'messages have the title of the thread alone, as at first')
    .option('--json', 'print JSON')
    .action(async (kind, url, options) => (await load()).addWay(kind, url, options))
  notify
    .command('remove <id>')
    .description('remove a way')
    .option('--json', 'print JSON')
    .action(async (id, options) => (await load()).removeWay(id, options))
  notify
    .command('test [id]')
    .description('send a test message by one way, or by all')
    .option('--json', 'print JSON')
    .action(async (id, options) => (await load()).testWays(id, options))
  notify
    .command('quiet <hours>')
    .description('hours in which nothing is sent, such as 22:00-07:00, or off')
    .option('--zone <zone>', 'time zone, such as Europe/Zurich; yours by default')
    .option('--json', 'print JSON')
    .action(async (hours, options) => (await load()).setQuiet(hours, options))
}
