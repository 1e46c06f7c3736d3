// The Missions page: the list with next runs and last outcomes, and the open mission or the form beside it.
import { useEffect, useRef } from 'preact/hooks'
import type { Mission } from '#doors/web/wire/mission.ts'
import { exactTime, untilInZone, whenText } from '../lib/words.ts'
import { Button } from '../parts/button.tsx'
import { Pill } from '../parts/mark.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, EmptyCard, When } from '../parts/states.tsx'
import { TwoSteps } from '../parts/two-steps.tsx'
import { go, route } from '../router.ts'
import { now } from '../store/clock.ts'
import { useLive } from '../store/live-data.ts'
import {
  missionAddress,
  missionRuns,
  missions,
  moreMissions,
  openMission,
  resetRuns,
  showMoreMissions,
  shownMission,
} from '../store/missions.ts'
import { MissionDetail } from './mission-detail.tsx'
import { EditMission, NewMission } from './mission-form.tsx'
import { OutcomeMark } from './mission-outcome.tsx'
import './missions.css'

const newAddress = '/missions?new'

export function Missions() {
  useLive(missions)
  useLive(missionRuns)
  const shown = shownMission.value?.id
  useEffect(resetRuns, [shown])
  return (
    <Page
      title="Missions"
      lead="What Atrium does by the clock. Each run is a thread that you can read and continue."
      rows=".mission-row"
      action={
        <Button icon="plus" onClick={() => go(newAddress)}>
          New mission
        </Button>
      }
    >
      <When of={missions} what="The missions" rows={5}>
        {(list) => <Lists list={list} />}
      </When>
    </Page>
  )
}

const about =
  'A mission is a prompt with a schedule, such as “weekdays at 08:30”. You can also ask for one in a thread.'

function Lists({ list }: { list: readonly Mission[] }) {
  const { query } = route.value
  const writing = query.has('new')
  const shown = writing ? undefined : shownMission.value
  const open = writing || openMission.value !== undefined
  /** The form for a mission that is removed elsewhere keeps what was typed. */
  const last = useRef<Mission>(undefined)
  if (shown) last.current = shown
  const edited = query.has('edit') && last.current?.id === openMission.value ? last.current : undefined
  if (list.length === 0 && !open) return <None />
  return (
    <TwoSteps
      open={open}
      back="/missions"
      all="All missions"
      list={
        list.length > 0 ? (
          <List list={list} shown={shown} />
        ) : (
          <EmptyCard icon="clock" title="No missions yet">
            {about}
          </EmptyCard>
        )
      }
    >
      {writing ? (
        <NewMission />
      ) : edited ? (
        <EditMission key={edited.id} mission={edited} removed={!shown && !moreMissions.value} />
      ) : shown === undefined ? (
        <EmptyCard icon="clock" title="There is no such mission">
          {moreMissions.value
            ? 'It may have been removed, or stand further down: choose “Show more”.'
            : 'It may have been removed. The list shows every mission.'}
        </EmptyCard>
      ) : (
        <MissionDetail key={shown.id} mission={shown} />
      )}
    </TwoSteps>
  )
}

function None() {
  return (
    <Empty
      icon="clock"
      title="No missions yet"
      action={
        <Button size="small" onClick={() => go(newAddress)}>
          Create the first one
        </Button>
      }
    >
      {about}
    </Empty>
  )
}

function List({ list, shown }: { list: readonly Mission[]; shown: Mission | undefined }) {
  return (
    <ul class="card ruled">
      {list.map((mission) => (
        <li key={mission.id}>
          <Row mission={mission} shown={mission.id === shown?.id} />
        </li>
      ))}
      {moreMissions.value && (
        <li class="mission-more">
          <Button size="small" onClick={showMoreMissions}>
            Show more
          </Button>
        </li>
      )}
    </ul>
  )
}

function Row({ mission, shown }: { mission: Mission; shown: boolean }) {
  const { id, title, last_run: last } = mission
  return (
    <a class="mission-row" href={missionAddress(id)} aria-current={shown ? 'page' : undefined}>
      <span class="mission-head">
        <span class="mission-title one-line" dir="auto" title={title}>
          {title}
        </span>
        <Standing mission={mission} />
      </span>
      <span class="mission-last">
        {last ? (
          <>
            <OutcomeMark run={last} />
            <span class="one-line">
              {whenText(last.started_at ?? last.nominal_at, now.value)}
              {last.summary ? `: ${last.summary}` : ''}
            </span>
          </>
        ) : (
          'No runs yet'
        )}
      </span>
    </a>
  )
}

/** The next run, or why there is none. */
function Standing({ mission: { status, zone, next_runs, paused_because: because } }: { mission: Mission }) {
  const [next] = next_runs
  if (status === 'paused') return <Pill kind={because === undefined ? 'plain' : 'clay'}>Paused</Pill>
  if (next === undefined) return <Pill>Done</Pill>
  return (
    <time dateTime={next} title={exactTime(next)}>
      <span class="unseen">Next run: </span>
      {untilInZone(next, zone, now.value)}
    </time>
  )
}
