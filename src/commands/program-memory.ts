// The commands of `atrium memory`.
import type { Command } from 'commander'

/** Adds `atrium memory`. */
export function addMemory(program: Command): void {
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
