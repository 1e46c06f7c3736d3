// Live regions for screen readers: an answer begins, its first sentence and length, and gates that wait.
import { useComputed } from '@preact/signals'
import { isAtRest } from '#core/turn-status.ts'
import { countWords } from '#core/words.ts'
import { printable } from '#safety/printable.ts'
import { firstSentence } from '../lib/conversation.ts'
import type { Conversation } from '../store/conversation.ts'
import { waiting } from '../store/gates.ts'

export function Announcer({ conversation }: { conversation: Conversation }) {
  const answerText = useComputed(() => answerWords(conversation)).value
  const gateText = useComputed(() => {
    const gate = waiting.value.find(({ thread_id }) => thread_id === conversation.id)
    return gate ? `Waiting for you: ${printable(gate.question.text)}` : ''
  }).value
  return (
    <>
      <div class="unseen" aria-live="polite">
        {answerText}
      </div>
      <div class="unseen" aria-live="polite">
        {gateText}
      </div>
    </>
  )
}

/** Only for turns that ran while the page was open: older ones have no state. */
function answerWords({ turns, states }: Conversation): string {
  const last = turns.value.at(-1)
  const state = last && states.value.get(last.id)
  if (!last || !state) return ''
  if (!isAtRest(state.status)) return 'Atrium is answering'
  const text = last.blocks.findLast((block) => block.type === 'text')?.text
  if (text === undefined) return ''
  return `${firstSentence(text)} ${countWords(text.split(/\s+/).length, 'word')} in all.`
}
