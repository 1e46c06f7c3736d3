// Tool calls, a line each. Only the reader unfolds them.
import { useComputed } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { countWords, durationWords, progressWords } from '#core/words.ts'
import { oneLine } from '#safety/printable.ts'
import { lazy } from '../lazy.tsx'
import { briefArgs, type CallState, type CallView } from '../lib/conversation.ts'
import type { Conversation } from '../store/conversation.ts'
import { Icon } from './icon.tsx'
import { Dot, Runs } from './mark.tsx'
import './call-row.css'
import { Elapsed, Thinking } from './thinking.tsx'

const loadInside = () => import('./call-inside.tsx')
const CallInside = lazy(async () => (await loadInside()).CallInside)

/** With at least this many calls in a row, the finished ones fold into one line. */
const foldFrom = 4

type ProgressOf = Conversation['progress']
type CallsProps = { readonly calls: readonly CallView[]; readonly progress: ProgressOf }

export function Calls({ calls, progress }: CallsProps) {
  const [open, setOpen] = useState(false)
  // Loaded with the first row, so that rows also unfold without a connection.
  useEffect(() => void loadInside().catch(() => {}), [])
  const finished = calls.filter(({ state }) => state === 'done')
  if (calls.length < foldFrom || finished.length < 2) {
    return (
      <div class="calls">
        {calls.map((call) => (
          <CallRow key={call.id} call={call} progress={progress} />
        ))}
      </div>
    )
  }
  const ms = finished.reduce((sum, call) => sum + (call.ms ?? 0), 0)
  return (
    <div class="calls">
      <div class="call">
        <button type="button" class="call-head" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'down' : 'right'} />
          <Sign state="done" />
          <span>
            {countWords(finished.length, 'tool')}, {durationWords(ms)}
          </span>
          <span class="unseen"> done</span>
        </button>
      </div>
      {calls
        .filter(({ state }) => open || state !== 'done')
        .map((call) => (
          <CallRow key={call.id} call={call} progress={progress} />
        ))}
    </div>
  )
}

function CallRow({ call, progress }: { call: CallView; progress: ProgressOf }) {
  const [open, setOpen] = useState(false)
  const { name, args, state } = call
  const brief = briefArgs(args)
  const comma = <span class="said">,</span>
  const end = call.since === undefined ? endWords(call) : <Elapsed since={Date.parse(call.since)} />
  const row = (
    <div class={open ? 'call open' : 'call'}>
      <button type="button" class="call-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} />
        <Sign state={state} />
        <span class="call-name one-line">
          {oneLine(name)}
          {brief === '' && comma}
        </span>
        <span class="call-brief one-line">
          {state === 'running' ? <Brief call={call} progress={progress} /> : brief}
          {brief !== '' && comma}
        </span>
        <span class="call-end">
          {end}
          {end !== state && (
            <span class="said">{typeof end === 'string' && end !== '' ? `, ${state}` : ` ${state}`}</span>
          )}
        </span>
      </button>
      {open && <CallInside call={call} />}
    </div>
  )
  if (!call.thought) return row
  return (
    <>
      <Thinking text={call.thought.text} ms={call.thought.ms} />
      {row}
    </>
  )
}

/** The arguments of a running call, or its progress. Only this part is drawn again for each report. */
function Brief({ call, progress }: { call: CallView; progress: ProgressOf }) {
  const report = useComputed(() => progress.value.get(call.id)).value
  return <>{report ? oneLine(progressWords(report)) : briefArgs(call.args)}</>
}

function Sign({ state }: { state: CallState }) {
  return (
    <span class={`call-sign ${state}`}>
      {state === 'running' && <Runs />}
      {state === 'done' && <Icon name="check" />}
      {state === 'waiting' && <Dot kind="sun" />}
      {state === 'denied' && <Icon name="cross" />}
      {state === 'failed' && <Icon name="triangle" />}
    </span>
  )
}

/** The end of the line: a done call's duration, a failed call's short reason, else the state. */
function endWords({ state, ms, output }: CallView): string {
  if (state === 'done') return ms === undefined ? '' : durationWords(ms)
  if (state === 'running') return ''
  if (state !== 'failed') return state
  const why = (output ?? '').split('\n', 1)[0] ?? ''
  return why.length > 0 && why.length <= 40 ? oneLine(why) : 'failed'
}
