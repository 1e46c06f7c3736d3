// The answer to a gate, in words.
import type { AnswerItem, GateItem } from '#doors/web/wire/thread.ts'
import { printable } from '#safety/printable.ts'
import { untilText } from '../lib/words.ts'
import { now } from '../store/clock.ts'
import { sessionState } from '../store/session.ts'
import type { IconName } from './icon.tsx'

type Answer = Pick<AnswerItem, 'decision' | 'by' | 'scope' | 'until'>
/** The kind of the gate that was answered. */
type Kind = GateItem['kind']

/** The message to the agent as a sentence that follows `answerWords`; empty if there was none. */
export function messageWords({ decision, by }: Answer, word: string | undefined): string {
  if (by === 'expiry' || by === 'restart') return '. The agent was told so.'
  return decision === 'deny' && word ? `. ${nameOf(by) === 'you' ? 'You' : 'They'} said: “${word}”` : ''
}

/** What was asked, with its object: a question about a file does not name it in brief. */
export function askedWords({ question: { brief }, preview }: Pick<GateItem, 'question' | 'preview'>): string {
  return printable(preview.type === 'diff' ? `${brief}: ${preview.path}` : brief)
}

export function answerWords({ decision, by, scope, until }: Answer, kind?: Kind): string {
  if (by === 'expiry') return 'Expired unanswered'
  if (by === 'restart') return 'Ended unanswered: Atrium was stopped'
  const name = nameOf(by)
  if (kind === 'input') return `${decision === 'deny' ? 'Declined' : 'Answered'} by ${name}`
  if (decision === 'deny') return `Denied by ${name}`
  if (!scope) return `Allowed once by ${name}`
  return `Allowed until ${until === undefined ? 'revoked' : untilText(until, now.value)} by ${name}`
}

function nameOf(by: string): string {
  const who = sessionState.value
  return who.type === 'in' && who.session.user === by ? 'you' : by
}

export function answerIcon({ decision, by }: Answer): IconName {
  return by === 'expiry' || by === 'restart' ? 'clock' : decision === 'deny' ? 'cross' : 'check'
}
