// The commands that keep a home for years: the service of the machine, backups and retention.
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
  program
    .command('export <folder>')
    .description('write your threads, memory, skills, missions and settings as files')
    .option('--user <name>', 'those of this user')
    .option('--json', 'print JSON')
    .action(async (folder, options) => (await import('./export-command.ts')).exportAll(folder, options))
  program
    .command('prune')
    .description('erase threads whose last activity was before a date')
    .requiredOption('--before <date>', 'the date, such as 2026-01-31, in UTC')
    .option('--dry-run', 'only count what would be erased')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./prune-command.ts')).prune(options))
}

export function addService(program: Command): void {
  const service = program.command('service').description('run Atrium as a service of systemd')
  const load = () => import('./service-command.ts')
  service
    .command('install')
    .description('install a unit for this home and start it; as root for the whole machine')
    .option('--print', 'print the unit and install nothing')
    .action(async (options) => (await load()).installService(options))
  service
    .command('status')
    .description('show whether the unit is installed and runs')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).serviceStatus(options))
  service
    .command('uninstall')
    .description('stop the service and remove its unit; the home stays')
    .action(async () => (await load()).uninstallService())
}
