// What was said to a gate, in words.
import type { AnswerItem } from '#doors/web/wire/thread.ts'
import { untilText } from '../lib/words.ts'
import { now } from '../store/clock.ts'
import { standing } from '../store/session.ts'
import type { IconName } from './icon.tsx'

type Said = Pick<AnswerItem, 'decision' | 'by' | 'scope' | 'until'>

/** What was said with it, as a sentence that follows; nothing where nothing was. */
export function wordOf({ decision, by }: Said, word: string | undefined): string {
  if (by === 'expiry') return '. The agent was told so.'
  return decision === 'deny' && word ? `. ${nameOf(by) === 'you' ? 'You' : 'They'} said: “${word}”` : ''
}

export function answerWords({ decision, by, scope, until }: Said): string {
  if (by === 'expiry') return 'Expired unanswered'
  const name = nameOf(by)
  if (decision === 'deny') return `Denied by ${name}`
  if (!scope) return `Allowed once by ${name}`
  return `Allowed until ${until === undefined ? 'revoked' : untilText(until, now.value)} by ${name}`
}

function nameOf(by: string): string {
  const who = standing.value
  return who.type === 'in' && who.session.user === by ? 'you' : by
}

export function answerIcon({ decision, by }: Said): IconName {
  return by === 'expiry' ? 'clock' : decision === 'deny' ? 'cross' : 'check'
}
