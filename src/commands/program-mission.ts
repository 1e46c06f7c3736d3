// `atrium mission` on the command line. Each command is loaded when it is used.
import type { Command } from 'commander'

export function addMissions(program: Command): void {
  const mission = program.command('mission').description('prompts that the agent works on by the clock')
  const load = () => import('./mission-command.ts')
  mission
    .command('add <prompt>')
    .description('create a mission')
    .requiredOption('--when <schedule>', 'such as "every 2h", "weekdays at 08:30", "in 30m" or "0 9 * * 1-5"')
    .option('--zone <zone>', 'time zone, such as Europe/Zurich; yours by default, else the machine’s')
    .option('--title <title>', 'the beginning of the prompt by default')
    .option('--tools <names>', 'the tools that a run may use, with commas between them')
    .option('--cap <usd>', 'the most that one run may cost')
    .option('--missed <how>', 'what passed while the service was down: once (make up for the latest) or skip')
    .option('--json', 'print JSON')
    .action(async (prompt, options) => (await load()).addMission(prompt, options))
  mission
    .command('list')
    .description('list missions with their next run and last outcome')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listMissions(options))
  for (const [name, does] of [
    ['show', 'show a mission'],
    ['run', 'run it now, also while it is paused'],
    ['pause', 'fire it no more until it is resumed'],
    ['resume', 'fire it again, in its old rhythm'],
    ['remove', 'remove it with its runs; their threads stay'],
  ] as const) {
    mission
      .command(`${name} <id>`)
      .description(does)
      .option('--json', 'print JSON')
      .action(async (id, options) => (await load()).actOnMission(name, id, options))
  }
  mission
    .command('runs <id>')
    .description('list its runs, latest first')
    .option('--limit <count>', 'maximum number', '20')
    .option('--json', 'print JSON')
    .action(async (id, options) => (await load()).listRuns(id, options))
}
