// The outcome of a mission's run: a sign and a word.
import type { MissionRun } from '#doors/web/wire/mission.ts'
import { Icon } from '../parts/icon.tsx'
import { Dot, Spinner } from '../parts/mark.tsx'

type Outcome = NonNullable<MissionRun['outcome']> | 'running'

export function OutcomeMark({ run }: { run: MissionRun }) {
  const outcome = run.outcome ?? 'running'
  return (
    <span class={`outcome ${outcome}`}>
      <span class="outcome-sign">
        <Sign outcome={outcome} />
      </span>
      {outcomeWords(run)}
    </span>
  )
}

function outcomeWords({ outcome, count }: MissionRun): string {
  return `${names[outcome ?? 'running']}${count === undefined ? '' : `, ${count} times`}`
}

function Sign({ outcome }: { outcome: Outcome }) {
  if (outcome === 'running') return <Spinner />
  if (outcome === 'waiting') return <Dot kind="sun" />
  if (outcome === 'failed') return <Icon name="triangle" />
  return <Icon name={outcome === 'ok' || outcome === 'quiet' ? 'check' : 'cross'} />
}

const names: Readonly<Record<Outcome, string>> = {
  running: 'Running',
  ok: 'OK',
  quiet: 'Quiet',
  failed: 'Failed',
  skipped: 'Skipped',
  missed: 'Missed',
  waiting: 'Waiting for you',
}
