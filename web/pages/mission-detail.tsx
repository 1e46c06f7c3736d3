// One mission: what it does and when, what to do if it fails or is paused, and its runs.
import type { ComponentChildren } from 'preact'
import { maxMakeUpHours } from '#core/page-limits.ts'
import { costFigure, costWords, sentence } from '#core/words.ts'
import type { Mission, MissionRun } from '#doors/web/wire/mission.ts'
import { exactTime, untilText, whenText } from '../lib/words.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { focusSoon } from '../parts/focus.ts'
import { LongText } from '../parts/long-text.tsx'
import { Pill } from '../parts/mark.tsx'
import { Note } from '../parts/note.tsx'
import { When } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { go } from '../router.ts'
import { now } from '../store/clock.ts'
import {
  changeMission,
  missionAddress,
  missionRuns,
  removeMission,
  runMission,
  showMoreRuns,
} from '../store/missions.ts'
import { notify } from '../store/notices.ts'
import { OutcomeMark } from './mission-outcome.tsx'

/** Characters of a prompt that are shown at first. */
const maxPromptChars = 1_500

export function MissionDetail({ mission }: { mission: Mission }) {
  const { title, status, understood, prompt } = mission
  return (
    <article class="card mission" aria-label={title}>
      <div class="mission-part">
        <header class="mission-bar">
          <h2>{title}</h2>
          {status !== 'active' && <Pill>{status === 'paused' ? 'Paused' : 'Done'}</Pill>}
        </header>
        <Trouble mission={mission} />
        <p>{understood}</p>
        <Actions mission={mission} />
      </div>
      <div class="mission-part">
        <h3 class="label">What to do</h3>
        <div class="mission-prompt">
          <LongText text={prompt} shown={maxPromptChars} />
        </div>
        <Facts mission={mission} />
      </div>
      <Runs mission={mission} />
    </article>
  )
}

/** Why a mission does not run, or fails, and what to do about it. */
function Trouble({ mission }: { mission: Mission }) {
  const { status, paused_because: because, last_run: last } = mission
  if (status === 'paused' && because !== undefined) {
    return (
      <Note kind="clay" title="It was paused" actions={<ThreadLink run={last}>Open its last run</ThreadLink>}>
        {because}
      </Note>
    )
  }
  if (last?.outcome === 'waiting') {
    return (
      <Note kind="sun" title="Its last run waits for you" actions={<ThreadLink run={last}>Review</ThreadLink>}>
        It goes on when you answer. The next run does not wait for it.
      </Note>
    )
  }
  if (status === 'active' && last?.outcome === 'failed') {
    return (
      <Note kind="clay" title="Its last run failed" actions={<ThreadLink run={last}>Open its last run</ThreadLink>}>
        {sentence(last.summary ?? '')} After three failures in a row it is paused.
      </Note>
    )
  }
  return status === 'paused' ? (
    <Note kind="plain" icon="clock">
      You paused it. Resumed, it keeps its rhythm; what passed in the pause is not made up for.
    </Note>
  ) : null
}

function ThreadLink({ run, children }: { run: MissionRun | undefined; children: ComponentChildren }) {
  if (run?.thread_id === undefined) return null
  return (
    <a class="button small" href={`/threads/${run.thread_id}`}>
      {children}
    </a>
  )
}

function Actions({ mission: { id, title, status } }: { mission: Mission }) {
  const pauses = status === 'active'
  const run = async (): Promise<void> => {
    await runMission(id)
    notify(`${title} runs now`)
  }
  return (
    <div class="mission-acts">
      <ActButton size="small" act={run} failed={`${title} could not be run.`}>
        Run now
      </ActButton>
      {status !== 'done' && (
        <ActButton
          size="small"
          act={() => changeMission(id, { status: pauses ? 'paused' : 'active' })}
          failed={`${title} could not be ${pauses ? 'paused' : 'resumed'}.`}
        >
          {pauses ? 'Pause' : 'Resume'}
        </ActButton>
      )}
      <Button size="small" icon="pencil" name="Edit" onClick={() => go(`${missionAddress(id)}?edit`)}>
        Edit
      </Button>
      <Confirm
        label="Remove"
        of={title}
        icon="trash"
        question={`Remove ${title}?`}
        act={async () => {
          await removeMission(id)
          go('/missions')
          notify(`${title} is removed`)
          focusSoon('#main')
        }}
      >
        It runs no more, and its list of runs is deleted. Their threads stay.
      </Confirm>
    </div>
  )
}

function Facts({ mission: { tools, cap_usd: cap, missed, zone } }: { mission: Mission }) {
  return (
    <dl class="mission-facts">
      <dt>Time zone</dt>
      <dd>{zone}</dd>
      <dt>Tools</dt>
      <dd class={tools && 'mono'}>{tools ? tools.join(', ') || 'none' : 'all of yours'}</dd>
      {cap !== undefined && (
        <>
          <dt>Cap</dt>
          <dd>{costWords(cap)} a run</dd>
        </>
      )}
      <dt>Missed runs</dt>
      <dd>{missed === 'once' ? `the latest is made up for, up to ${maxMakeUpHours} hours` : 'are not made up for'}</dd>
    </dl>
  )
}

const columns = [{ label: 'Run' }, { label: 'Outcome' }, { label: 'Cost', number: true }]

function Runs({ mission: { id, title } }: { mission: Mission }) {
  return (
    <section class="mission-runs" aria-label="Runs">
      <When of={missionRuns} what="The runs" rows={3}>
        {({ mission, runs, more }) =>
          // While another mission's runs are still there, nothing is said about this one's.
          mission !== id ? null : runs.length === 0 ? (
            <p class="quiet mission-none">No runs yet</p>
          ) : (
            <>
              <Table name={`Runs of ${title}`} look="mission-run" columns={columns}>
                {runs.map((run) => (
                  <RunRow key={run.id} run={run} />
                ))}
              </Table>
              {more && (
                <div class="mission-more">
                  <Button size="small" busy={missionRuns.loading.value} onClick={showMoreRuns}>
                    Show more
                  </Button>
                </div>
              )}
            </>
          )
        }
      </When>
    </section>
  )
}

function RunRow({ run }: { run: MissionRun }) {
  const { nominal_at: at, thread_id: thread, summary, cost_usd: cost } = run
  const time = (
    <time dateTime={at} title={exactTime(at)}>
      {new Date(at).getTime() > now.value ? untilText(at, now.value) : whenText(at, now.value)}
    </time>
  )
  return (
    <tr>
      <td class="run-what">
        {thread === undefined ? (
          time
        ) : (
          <a class="row-link covers" href={`/threads/${thread}`}>
            {time}
          </a>
        )}
        {summary && (
          <div class="run-summary two-lines" dir="auto">
            {summary}
          </div>
        )}
      </td>
      <td class="run-outcome">
        <OutcomeMark run={run} />
      </td>
      <td class="run-cost number">{thread === undefined || run.outcome === null ? '' : costFigure(cost)}</td>
    </tr>
  )
}
