// A gate in the words of a chat: what will happen, why it asks, and what was decided. Plain text: nothing in it is markup.
import type { Answer, Gate } from '#core/item.ts'
import { previewText, questionOf } from '#safety/gate-question.ts'
import { printable } from '#safety/printable.ts'

/** Longer questions are answered on the page, where all of them can be seen. */
const maxQuestionChars = 16_000

export type GateQuestion = {
  readonly text: string
  /** The whole of it is shown, so that it can be allowed here. */
  readonly canAllow: boolean
}

/**
 * A message that stays true after the answer: that nothing has happened yet is for `tellGate` to add. `link` is the address
 * of the thread's page, if it is known.
 */
export function gateQuestion(gate: Gate, link: string | undefined): GateQuestion {
  const { text, does } = questionOf(gate)
  const why = gate.why ?? gate.reason
  const head = [text, ...(does ? [does] : []), ...(why ? [why] : [])].map((line) => printable(line))
  if (gate.kind !== 'approval') {
    const act = gate.kind === 'credential' ? 'Sign in' : 'Answer it'
    return { text: [...head, `${act} ${pageWords(link)}`].join('\n'), canAllow: false }
  }
  const asked = gate.asks?.preview ? previewText(gate.asks.preview) : argumentText(gate)
  // Not all of a long text is made printable: it may have megabytes, and cannot be allowed here in any case.
  const preview = printable(asked.slice(0, maxQuestionChars), { lines: true })
  const whole = preview.trim() === '' ? head.join('\n') : `${head.join('\n')}\n\n${preview}`
  if (asked.length <= maxQuestionChars && whole.length <= maxQuestionChars) return { text: whole, canAllow: true }
  const cut = `${whole.slice(0, maxQuestionChars / 4).toWellFormed()}\n…\n\nIt is too long to be shown here. Allow it where all of it can be seen ${pageWords(link)}`
  return { text: cut, canAllow: false }
}

/** In place of a question that the chat does not take. */
export function hiddenQuestion(link: string | undefined): string {
  return `Something needs your answer and cannot be shown here. See it ${pageWords(link)}`
}

/** Where a thread's page is, at the end of a sentence. */
export function pageWords(link: string | undefined): string {
  return link === undefined ? 'on the page.' : `here: ${link}`
}

function argumentText({ args }: Gate): string {
  try {
    return JSON.stringify(JSON.parse(args), undefined, 2)
  } catch {
    return args
  }
}

/** The end of a gate in words. Without an answer its turn was stopped. */
export function decisionWords(answer: Pick<Answer, 'decision' | 'by' | 'scope'> | undefined): string {
  if (!answer) return 'Nothing was allowed: it was stopped.'
  const { decision, by, scope } = answer
  if (by === 'expiry') return 'Denied: nobody answered within 24 hours.'
  const who = by === '' ? '' : ` by ${printable(by)}`
  if (decision === 'deny') return `Denied${who}.`
  if (decision === 'output') return `Answered${who}.`
  return scope === undefined ? `Allowed once${who}.` : `Allowed${who}, also from now on.`
}
