// The commands that keep a home for years: backups.
import type { Command } from 'commander'

export function addUpkeep(program: Command): void {
  const load = () => import('./backup-command.ts')
  program
    .command('backup <file>')
    .description('write everything into one file, also while the service runs')
    .option('--with-key', 'with the master key and the operator token; without it secrets stay closed elsewhere')
    .option('--verify', 'check a backup instead of making one')
    .option('--json', 'print JSON')
    .action(async (file, options) => (await load()).backUp(file, options))
  program
    .command('restore <file>')
    .description('restore a backup into an empty home; stop the service first')
    .option('--replace', 'replace what the home has; a copy is kept aside')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .action(async (file, options) => (await load()).restore(file, options))
}
