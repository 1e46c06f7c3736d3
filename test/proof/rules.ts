// All rules of the checker.
import type { History, Rule } from './history.ts'
import { acknowledged } from './rules/acknowledged.ts'
import { approval } from './rules/approval.ts'
import { documented } from './rules/documented.ts'
import { documents } from './rules/documents.ts'
import { functions } from './rules/functions.ts'
import { gapless } from './rules/gapless.ts'
import { money } from './rules/money.ts'
import { noRepeat } from './rules/no-repeat.ts'
import { once } from './rules/once.ts'
import { oneReply } from './rules/one-reply.ts'
import { order } from './rules/order.ts'
import { privacy } from './rules/privacy.ts'
import { receipts } from './rules/receipts.ts'
import { sandbox } from './rules/sandbox.ts'
import { secrets } from './rules/secrets.ts'
import { streams } from './rules/streams.ts'

const rules: readonly Rule[] = [
  acknowledged,
  oneReply,
  order,
  gapless,
  noRepeat,
  once,
  approval,
  functions,
  privacy,
  secrets,
  sandbox,
  money,
  receipts,
  streams,
  documents,
  documented,
]

export type Verdict = { readonly rule: Rule; readonly breaches: readonly string[] }

export function judge(history: History): Verdict[] {
  return rules.map((rule) => ({ rule, breaches: rule.check(history) }))
}
