// A receipt as the lines of a box.
import {
  costFigure,
  costWords,
  countWords,
  decisionWords,
  durationWords,
  noAnswerWords,
  numberWords,
} from '#core/words.ts'
import { proseOf } from '#safety/printable.ts'
import type { Receipt } from '#turns/receipt.ts'
import type { Theme } from './theme.ts'

/** Cost first, then tools, hosts, secret names, model calls, approvals, safety notes, and the check of the log. */
export function receiptLines(receipt: Receipt, { bold, clay, dim, act }: Theme): string[] {
  const { turn, modelCalls, tools, hosts, secrets, approvals, notes, costUsd, hash, verified } = receipt
  const part = (title: string, lines: readonly string[]): string[] =>
    lines.length > 0 ? ['', bold(title), ...lines.map((line) => `  ${line}`)] : []
  const calls = modelCalls.map(({ model, via, usage, ms, failed, attempts }) => {
    const tokens = `${countWords(usage.inputTokens, 'token')} in, ${numberWords(usage.outputTokens)} out`
    const words = failed ? noAnswerWords(attempts) : `${tokens}, ${costWords(usage.costUsd)}`
    const at = via ? ` at ${proseOf(via.host)}` : ''
    return `${proseOf(model)}${at}  ${words}, ${durationWords(ms)}`
  })
  const check =
    hash === undefined
      ? dim('no digest: the turn has not ended')
      : verified
        ? act('matches the log')
        : clay('does not match the log')
  return [
    `${bold('Cost')}  ${costFigure(costUsd)}   ${dim(turn.status)}`,
    ...part(
      'Tools',
      tools.map(({ name, ok, ms }) => `${ok ? act('✓') : clay('▲')} ${proseOf(name)}  ${durationWords(ms)}`),
    ),
    ...part('Hosts', hosts.map(proseOf)),
    ...part('Secrets', secrets.map(proseOf)),
    ...part('Model calls', calls),
    ...part(
      'Approvals',
      approvals.map(
        (each) => `${decisionWords(each)} by ${proseOf(each.by)}${each.scope ? `, for the ${each.scope}` : ''}`,
      ),
    ),
    ...part(
      'Safety notes',
      notes.map(({ rule, where }) => `${rule} in ${proseOf(where)}`),
    ),
    '',
    `${bold('Log')}  ${check}`,
    ...(hash === undefined ? [] : [dim(hash)]),
    dim(`turn ${turn.id}`),
  ]
}
