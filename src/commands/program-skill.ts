// `atrium skill` on the command line. Each command is loaded when it is used.
import type { Command } from 'commander'

/** Adds `atrium skill` and its subcommands. */
export function addSkills(program: Command): void {
  const skill = program
    .command('skill')
    .description('manage skills: folders with a SKILL.md that tell the agent how to do a task')
  const load = () => import('./skill-command.ts')
  skill
    .command('add <path>')
    .description('check a folder or a ZIP archive, and add it as a skill for every user')
    .option('--json', 'print JSON')
    .action(async (path, options) => (await load()).addSkill(path, options))
  skill
    .command('list')
    .description('list the skills')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listSkills(options))
  skill
    .command('show <name>')
    .description('show a skill: its text, its files and what its check found')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).showSkill(name, options))
  skill
    .command('check <path>')
    .description('say what is wrong with a folder or archive, and what to know before trusting it')
    .option('--json', 'print JSON')
    .action(async (path, options) => (await load()).checkFolder(path, options))
  skill
    .command('update <path>')
    .description('show what a folder or archive changes in the skill of its name, and store it')
    .option('-y, --yes', 'do not ask; what changed stays untrusted until it is reviewed')
    .option('--json', 'print JSON')
    .action(async (path, options) => (await load()).updateSkill(path, options))
  skill
    .command('review <name>')
    .description('show what is untrusted in a skill, and make it trusted')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).reviewSkill(name, options))
  skill
    .command('remove <name>')
    .description('remove a skill')
    .option('--json', 'print JSON')
    .action(async (name, options) => (await load()).removeSkill(name, options))
}
