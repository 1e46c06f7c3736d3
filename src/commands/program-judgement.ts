// `atrium gates`, `grants`, `policy` and `receipt` on the command line. Each command is loaded when it is used.
import type { Command } from 'commander'
import { refuseUnknown } from './refuse-arguments.ts'

/** Adds the commands for gates, grants, policy and receipts. */
export function addJudgement(program: Command): void {
  const gates = program
    .command('gates')
    .description('what waits for your word; on a terminal each is asked about')
    .option('--json', 'print JSON')
    .action(async (options, command: Command) => {
      refuseUnknown(command)
      await (await import('./gates-command.ts')).listGates(options)
    })
  gates
    .command('answer <id> <action>')
    .description('answer one: approve, always or deny')
    .option('--scope <scope>', 'of always: tool, target (this host, folder or command) or file (this one)')
    .option('--for <span>', 'of always: hour, day or good')
    .option('--clean', 'of always: only while the turn has read nothing from outside')
    .option('--word <text>', 'of deny: what the model is told')
    .action(async (id, action, options) => (await import('./gates-command.ts')).answerGateBy(id, action, options))
  const grants = program
    .command('grants')
    .description('what you have allowed beyond one call')
    .option('--json', 'print JSON')
    .action(async (options, command: Command) => {
      refuseUnknown(command)
      await (await import('./grants-command.ts')).listGrants(options)
    })
  grants
    .command('revoke <id>')
    .description('take one back')
    .action(async (id) => (await import('./grants-command.ts')).revokeGrant(id))
  addPolicy(program)
  program
    .command('receipt <turn>')
    .description('what a turn did: models, tools, hosts, approvals, cost')
    .option('--verify', 'fail when its log is not what it was')
    .option('--json', 'print JSON')
    .action(async (turn, options) => (await import('./receipt-command.ts')).showReceipt(turn, options))
}

function addPolicy(program: Command): void {
  const load = () => import('./policy-command.ts')
  const policy = program
    .command('policy')
    .description('which calls run, are asked for, or are refused')
    .option('--json', 'print JSON')
    .action(async (options, command: Command) => {
      refuseUnknown(command)
      await (await load()).showPolicy(options)
    })
  policy
    .command('set <row>')
    .description('set the rule of a row: allow, ask, deny, or known for addresses')
    .option('--clean <rule>', 'while the model has read nothing untrusted')
    .option('--tainted <rule>', 'once it has')
    .action(async (row, options) => (await load()).setRow(row, options))
  policy
    .command('reset [row]')
    .description('the default again: of one row, or of all rows and marks')
    .action(async (row) => (await load()).resetPolicy(row))
  policy
    .command('marks')
    .description('list the rules that mark what looks like an instruction in outside text')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listMarks(options))
  policy
    .command('mark <id> <state>')
    .description('switch one of them on or off')
    .action(async (id, state) => (await load()).switchMark(id, state))
}
