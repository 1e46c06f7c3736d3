// `atrium threads` on the command line. Each command is loaded when it is used.
import type { Command } from 'commander'

export function addThreads(program: Command): void {
  const load = () => import('./threads-command.ts')
  const act = () => import('./thread-command.ts')
  const threads = program
    .command('threads')
    .description('list threads, newest first')
    .option('--search <words>', 'those whose titles or messages match, best first')
    .option('--archived', 'those that are archived')
    .option('--limit <count>', 'maximum number', '20')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listThreads(options))
  threads
    .command('show <id>')
    .description('print a thread')
    .option('--json', 'print JSON, as export does')
    .action(async (id, options) => (await act()).showThread(id, options))
  threads
    .command('rename <id> <title>')
    .description('change the title of a thread')
    .action(async (id, title) => (await act()).renameThread(id, title))
  threads
    .command('delete <ids...>')
    .description('delete threads with everything in them')
    .option('-y, --yes', 'do not ask')
    .action(async (ids, options) => (await act()).deleteThreads(ids, options))
  for (const [name, does] of [
    ['pin', 'pin a thread to the top of the list'],
    ['unpin', 'undo pin'],
    ['archive', 'take a thread out of the list'],
    ['unarchive', 'undo archive'],
  ] as const) {
    threads
      .command(`${name} <id>`)
      .description(does)
      .action(async (id) => (await act()).shelveThread(name, id))
  }
  threads
    .command('export <id>')
    .description('print a thread as a file; a JSON file can be imported')
    .option('--format <format>', 'json or markdown', 'json')
    .option('-o, --output <path>', 'write to this file')
    .action(async (id, options) => (await act()).exportThreadFile(id, options))
  threads
    .command('import <file>')
    .description('make a thread of an exported JSON file; - reads standard input')
    .option('--json', 'print JSON')
    .action(async (file, options) => (await act()).importThread(file, options))
}
