// A gate in words: what waits, why, and where to answer. Nothing that is typed into the chat answers it.
import type { Gate } from '#core/item.ts'
import { questionOf } from '#safety/gate-question.ts'

/** `link` is the address of the thread's page. */
export function gateWords(gates: readonly Gate[], link: string): string {
  if (gates.length === 0) return `This conversation waits for an answer that can only be given here: ${link}`
  const asked = gates.map((gate) => {
    const { text, sentence } = questionOf(gate)
    const why = gate.why ?? gate.reason
    return [text, sentence, ...(why ? [why] : [])].join('\n')
  })
  const all = (kind: Gate['kind']): boolean => gates.every((gate) => gate.kind === kind)
  const [what, where] = all('credential')
    ? ['Waiting for a sign-in.', 'Sign in here']
    : all('input')
      ? ['Waiting for your answer.', 'Answer it here']
      : ['Waiting for your approval.', 'Allow or deny it here']
  const last = `${where}: ${link}\nThe work then goes on by itself. A message here approves nothing.`
  return [what, ...asked, last].join('\n\n')
}
