// `atrium gates`, `grants`, `policy` and `receipt` on the command line. Each command is loaded when it is used.
import type { Command } from 'commander'

/** Adds the commands for gates, grants, policy and receipts. */
export function addJudgement(program: Command): void {
  const gates = program
    .command('gates')
    .description('list requests that wait for your approval; on a terminal, answer them')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./gates-command.ts')).listGates(options))
  gates
    .command('answer <id> [action]')
    .description('answer one request: approve (once), always or deny; a form with --values')
    .option('--scope <scope>', 'with always: tool, target (this host, folder or command) or file (this one)')
    .option('--for <span>', 'with always: hour, day or good')
    .option('--clean', 'with always: only while the turn has read nothing from outside')
    .option('--word <text>', 'with deny: a reason for the model')
    .option('--values <json>', 'the values of a form, by the names of its fields')
    .action(async (id, action, options) => (await import('./gates-command.ts')).answerGateBy(id, action, options))
  const grants = program
    .command('grants')
    .description('list what you have allowed beyond a single call')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./grants-command.ts')).listGrants(options))
  grants
    .command('revoke <id>')
    .description('revoke a grant')
    .action(async (id) => (await import('./grants-command.ts')).revokeGrant(id))
  addPolicy(program)
  program
    .command('receipt <turn>')
    .description('show what a turn did, by turn or response id: models, tools, hosts, approvals, cost')
    .option('--verify', 'exit with code 1 if the log of the turn has changed')
    .option('--json', 'print JSON')
    .action(async (turn, options) => (await import('./receipt-command.ts')).showReceipt(turn, options))
}

function addPolicy(program: Command): void {
  const load = () => import('./policy-command.ts')
  const policy = program
    .command('policy')
    .description('show which tool calls are allowed, need approval, or are denied')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).showPolicy(options))
  policy
    .command('set <row>')
    .description('set the rules of a row that `atrium policy` lists: allow, ask, deny, or known (for addresses)')
    .option('--clean <rule>', 'rule while the model has read nothing untrusted')
    .option('--tainted <rule>', 'rule once the model has read untrusted text')
    .action(async (row, options) => (await load()).setRow(row, options))
  policy
    .command('reset [row]')
    .description('reset one row to its default, or all rows and marks')
    .action(async (row) => (await load()).resetPolicy(row))
  policy
    .command('marks')
    .description('list the rules that mark outside text that looks like an instruction')
    .option('--json', 'print JSON')
    .action(async (options) => (await load()).listMarks(options))
  policy
    .command('mark <id> <state>')
    .description('switch one of these rules on or off')
    .action(async (id, state) => (await load()).switchMark(id, state))
}
