// The model's reasoning, folded, with its time; and what a turn without text is doing.
import { useEffect, useState } from 'preact/hooks'
import { durationWords, elapsedWords } from '#core/words.ts'
import { seconds } from '../store/clock.ts'
import { Icon } from './icon.tsx'
import { LongText } from './long-text.tsx'
import './call-row.css'

type Props = {
  readonly text: string
  readonly ms?: number | undefined
  /** When it began; only while it is being written. */
  readonly since?: number | undefined
}

export function Thinking({ text, ms, since }: Props) {
  const [open, setOpen] = useState(false)
  return (
    <div class={open ? 'call open' : 'call'}>
      <button type="button" class="call-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} />
        <span class="call-brief one-line">
          Thinking
          {ms !== undefined && <span class="said">,</span>}
        </span>
        <span class="call-end">
          {since === undefined ? ms !== undefined && durationWords(ms) : <Elapsed since={since} />}
        </span>
      </button>
      {open && (
        <div class="call-inside thinking-text">
          <LongText text={text} />
        </div>
      )}
    </div>
  )
}

/** How long something has been going on; empty in the first second. */
export function Elapsed({ since }: { since: number }) {
  useEffect(() => seconds.follow(), [])
  const ms = seconds.now.value - since
  return <>{ms >= 1000 && elapsedWords(ms)}</>
}

/** Shown while a turn runs and there is nothing of it to read yet. */
export function Working({ since, model }: { since: number; model: string | undefined }) {
  useEffect(() => seconds.follow(), [])
  const ms = seconds.now.value - since
  return (
    <p class="thinking">
      <span class="caret" aria-hidden="true" />
      <span class="unseen">Atrium is answering</span>
      {ms >= 1000 && (
        <span class="label">
          Waiting for {model ?? 'the model'}, {elapsedWords(ms)}
        </span>
      )}
    </p>
  )
}
