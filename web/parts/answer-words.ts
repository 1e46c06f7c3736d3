// What was said to a gate, in words.
import type { AnswerItem } from '../api/wire.ts'
import { untilText } from '../lib/words.ts'
import { now } from '../store/clock.ts'
import { standing } from '../store/session.ts'
import type { IconName } from './icon.tsx'

type Said = Pick<AnswerItem, 'decision' | 'by' | 'scope' | 'until'>

export function answerWords({ decision, by, scope, until }: Said): string {
  if (by === 'expiry') return 'Expired unanswered'
  const who = standing.value
  const name = who.type === 'in' && who.session.user === by ? 'you' : by
  if (decision === 'deny') return `Denied by ${name}`
  if (!scope) return `Allowed once by ${name}`
  return `Allowed until ${until === undefined ? 'revoked' : untilText(until, now.value)} by ${name}`
}

export function answerIcon({ decision, by }: Said): IconName {
  return by === 'expiry' ? 'clock' : decision === 'deny' ? 'cross' : 'check'
}
