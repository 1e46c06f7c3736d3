// Live regions for screen readers: an answer begins, its first sentence and length, and gates that wait.
import { useComputed } from '@preact/signals'
import { useState } from 'preact/hooks'
import { isAtRest } from '#core/turn-status.ts'
import { countWords } from '#core/words.ts'
import type { Waiting } from '#doors/web/wire/gate.ts'
import { printable } from '#safety/printable.ts'
import { firstSentence } from '../lib/conversation.ts'
import { route, threadIdIn } from '../router.ts'
import type { Conversation } from '../store/conversation.ts'
import { waiting } from '../store/gates.ts'

/** All that wait are not read aloud when the page opens. */
const maxGates = 3

export function Announcer({ conversation }: { conversation: Conversation }) {
  const answerText = useComputed(() => answerWords(conversation)).value
  return (
    <div class="unseen" aria-live="polite">
      {answerText}
    </div>
  )
}

/** The newest requests, on every page. An element that stays as it is is not announced again, wherever the reader goes. */
export function GateAnnouncer() {
  return (
    <div class="unseen" aria-live="polite">
      {waiting.value.slice(-maxGates).map((gate) => (
        <GateWords key={`${gate.id} ${gate.created_at}`} gate={gate} />
      ))}
    </div>
  )
}

function GateWords({ gate }: { gate: Waiting }) {
  const [open] = useState(() => threadIdIn(route.peek().path))
  const place = open === undefined || open === gate.thread_id ? '' : ' in another thread'
  return <p>{`Waiting for you${place}: ${printable(gate.question.text)}`}</p>
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
