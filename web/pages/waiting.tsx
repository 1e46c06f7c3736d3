// The queue of gates that wait for the reader, from every door: the list, and the chosen one.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Waiting as Gate } from '#doors/web/wire/gate.ts'
import { printable } from '#safety/printable.ts'
import { doorOf } from '../lib/doors.ts'
import { exactTime, shortWhen, whenText } from '../lib/words.ts'
import { answerIcon, answerWords, askedWords, messageWords } from '../parts/answer-words.ts'
import { Approval } from '../parts/approval.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, When } from '../parts/states.tsx'
import { TwoSteps } from '../parts/two-steps.tsx'
import { now } from '../store/clock.ts'
import { answeredToday, gates, waiting } from '../store/gates.ts'
import { useLive } from '../store/live-data.ts'
import { threadList } from '../store/threads.ts'
import './waiting.css'

/** The chosen gate. Without one, wide screens show the first; a phone shows only the list. */
const chosen = signal<string | undefined>(undefined)

export function Waiting() {
  useEffect(() => void gates.load(), [])
  useLive(answeredToday)
  return (
    <Page
      title="Waiting for you"
      lead="Requests from every door, oldest first. Nothing here has run. Other threads go on meanwhile."
    >
      <When of={gates} what="The queue">
        {() => <Queue />}
      </When>
    </Page>
  )
}

function Queue() {
  const list = waiting.value
  const found = list.find(({ id }) => id === chosen.value)
  const shown = found ?? list[0]
  if (!shown) {
    return (
      <div class="two-steps queue none">
        <AnsweredToday />
        <Empty icon="waiting" title="Nothing waits for you">
          A request appears here when the agent needs your answer before it acts.
        </Empty>
      </div>
    )
  }
  return (
    <TwoSteps
      look="queue"
      open={found !== undefined}
      back={() => (chosen.value = undefined)}
      all="All requests"
      list={
        <>
          <ul class="card ruled queue-list">
            {list.map((gate) => (
              <li key={gate.id}>
                <Row gate={gate} current={gate === shown} />
              </li>
            ))}
          </ul>
          <AnsweredToday />
        </>
      }
    >
      <Approval key={`${shown.id} ${shown.created_at}`} gate={shown} inQueue {...titleOf(shown)} />
    </TwoSteps>
  )
}

function Row({ gate, current }: { gate: Gate; current: boolean }) {
  return (
    <button
      type="button"
      class="queue-row"
      aria-current={current ? 'true' : undefined}
      onClick={() => (chosen.value = gate.id)}
    >
      <Icon name={doorOf(gate.door).icon} />
      <span class="queue-words">
        <span class="queue-line">
          <span class="queue-what one-line">{printable(gate.question.brief)}</span>
          <time dateTime={gate.created_at} title={exactTime(gate.created_at)}>
            {shortWhen(gate.created_at, now.value)}
          </time>
        </span>
        <span class="one-line" dir="auto">
          {printable(titleOf(gate).threadTitle ?? doorOf(gate.door).label)}
        </span>
      </span>
    </button>
  )
}

function AnsweredToday() {
  const list = answeredToday.data.value ?? []
  if (list.length === 0) return null
  return (
    <section class="answered-today" aria-labelledby="answered-today">
      <h2 id="answered-today" class="label">
        Answered today
      </h2>
      <ul class="card ruled">
        {list.map((gate) => (
          <li key={gate.id} class="answered-row">
            <Icon name={answerIcon(gate)} />
            <div class="queue-words">
              <a class="answered-what covers one-line" href={`/threads/${gate.thread_id}`}>
                {askedWords(gate)}
              </a>
              <span class="answered-words">
                {answerWords(gate, gate.kind)},{' '}
                <time dateTime={gate.answered_at} title={exactTime(gate.answered_at)}>
                  {whenText(gate.answered_at, now.value)}
                </time>
                {messageWords(gate, gate.word)}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function titleOf({ thread_id }: Gate): { threadTitle?: string } {
  const title = threadList.data.value?.threads.find(({ id }) => id === thread_id)?.title
  return title ? { threadTitle: title } : {}
}
