// What is read out: that an answer begins, its first sentence when it is there; and what waits for the reader.
import { useComputed } from '@preact/signals'
import { firstSentence } from '../lib/conversation.ts'
import { countText } from '../lib/words.ts'
import { type Conversation, isAtRest } from '../store/conversation.ts'
import { waiting } from '../store/gates.ts'

export function Announcer({ conversation }: { conversation: Conversation }) {
  const said = useComputed(() => answerWords(conversation)).value
  const asked = useComputed(() => {
    const gate = waiting.value.find(({ thread_id }) => thread_id === conversation.id)
    return gate ? `Waiting for you: ${gate.question.text}` : ''
  }).value
  return (
    <>
      <div class="unseen" aria-live="polite">
        {said}
      </div>
      <div class="unseen" aria-live="polite">
        {asked}
      </div>
    </>
  )
}

/** Only of turns that were seen running: what is old is not news. */
function answerWords({ turns, states }: Conversation): string {
  const last = turns.value.at(-1)
  const state = last && states.value.get(last.id)
  if (!last || !state) return ''
  if (!isAtRest(state.status)) return 'Atrium is answering'
  const text = last.blocks.findLast((block) => block.type === 'text')?.text
  if (text === undefined) return ''
  return `${firstSentence(text)} ${countText(text.split(/\s+/).length, 'word')} in all.`
}
