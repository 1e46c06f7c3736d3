// Live regions for screen readers: an answer begins, its first sentence and length, and gates that wait.
import { useComputed } from '@preact/signals'
import { isAtRest } from '#core/turn-status.ts'
import { countWords } from '#core/words.ts'
import { printable } from '#safety/printable.ts'
import { firstSentence } from '../lib/conversation.ts'
import { route, threadIdIn } from '../router.ts'
import type { Conversation } from '../store/conversation.ts'
import { waiting } from '../store/gates.ts'

export function Announcer({ conversation }: { conversation: Conversation }) {
  const answerText = useComputed(() => answerWords(conversation)).value
  return (
    <div class="unseen" aria-live="polite">
      {answerText}
    </div>
  )
}

/** On every page: the request of the open thread, and the newest one of the others. */
export function GateAnnouncer() {
  const open = threadIdIn(route.value.path)
  const here = waiting.value.find(({ thread_id }) => thread_id === open)
  const elsewhere = waiting.value.findLast(({ thread_id }) => thread_id !== open)
  const place = open === undefined ? '' : ' in another thread'
  return (
    <div class="unseen" aria-live="polite">
      {here && <p key="here">Waiting for you: {printable(here.question.text)}</p>}
      {elsewhere && (
        <p key="elsewhere">
          Waiting for you{place}: {printable(elsewhere.question.text)}
        </p>
      )}
    </div>
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
