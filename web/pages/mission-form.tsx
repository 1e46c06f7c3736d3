// The form of a mission: what to do, when, and in which time zone, with the next runs as it is typed.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { maxScheduleChars, maxZoneChars } from '#core/page-limits.ts'
import type { Mission, SchedulePreview } from '#doors/web/wire/mission.ts'
import { ApiFault, faultText } from '../api/client.ts'
import { type Act, useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Area, FieldFault, TextField } from '../parts/field.tsx'
import { focusSoon } from '../parts/focus.ts'
import { Form } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import { go } from '../router.ts'
import { reconnections } from '../store/link.ts'
import {
  changeMission,
  createMission,
  missionAddress,
  type MissionFields,
  previewSchedule,
  readZone,
} from '../store/missions.ts'
import { notify } from '../store/notices.ts'

const typingMs = 200

async function create(fields: MissionFields): Promise<void> {
  const { id, title } = await createMission(fields)
  notify(`${title} is created`)
  go(missionAddress(id))
  focusSoon('#main')
}

export function NewMission() {
  const empty = { prompt: '', schedule: '', zone: '' }
  return (
    <MissionForm name="New mission" verb="Create mission" from={empty} work={create} onCancel={() => go('/missions')} />
  )
}

type EditProps = {
  readonly mission: Mission
  /** Somebody else, or the agent, has removed it: what is typed can become a new one. */
  readonly removed: boolean
}

export function EditMission({ mission, removed }: EditProps) {
  // As it was opened: what another window has changed since stays unless it is changed here, too.
  const { id, title, prompt, schedule, zone } = useRef(mission).current
  const close = (): void => {
    go(missionAddress(id), { replace: true })
    focusSoon('.mission-acts [aria-label="Edit"]', '#main')
  }
  const save = async (fields: MissionFields): Promise<void> => {
    // A schedule that is given begins anew, so it is sent only if it has changed.
    const anew = fields.schedule.trim() !== schedule || fields.zone.trim() !== zone
    await changeMission(id, {
      ...(fields.prompt !== prompt && { prompt: fields.prompt }),
      ...(anew && { schedule: fields.schedule, zone: fields.zone }),
    })
    notify(`${title} is saved`)
    close()
  }
  return (
    <MissionForm
      name="Edit mission"
      verb={removed ? 'Create mission' : 'Save'}
      from={{ prompt, schedule, zone }}
      work={removed ? create : save}
      onCancel={close}
    >
      {removed && (
        <Note kind="clay" title="It was removed meanwhile">
          Somebody else, or the agent, has removed this mission. Your text is kept here, for a new one.
        </Note>
      )}
    </MissionForm>
  )
}

type FormProps = {
  readonly name: string
  readonly verb: string
  readonly from: MissionFields
  readonly work: (fields: MissionFields) => Promise<void>
  readonly onCancel: () => void
  readonly children?: ComponentChildren
}

function MissionForm({ name, verb, from, work, onCancel, children }: FormProps) {
  const prompt = useSignal(from.prompt)
  const schedule = useSignal(from.schedule)
  const zone = useSignal(from.zone)
  /** The field that the last try was refused for. */
  const wrong = useSignal<string | undefined>(undefined)
  const act = useAct()
  useEffect(() => {
    if (zone.peek() !== '') return
    const fill = async (): Promise<void> => {
      const used = await readZone()
      if (zone.peek() === '') zone.value = used
    }
    // Without an answer the box stays empty, which means the same zone.
    fill().catch(() => undefined)
  }, [])
  const submit = async (): Promise<void> => {
    wrong.value = undefined
    try {
      await work({ prompt: prompt.value, schedule: schedule.value, zone: zone.value.trim() })
    } catch (error) {
      wrong.value = error instanceof ApiFault ? error.param : undefined
      throw error
    }
  }
  const faultOf = (field: string) => (wrong.value === field ? act.fault.value : undefined)
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Form
      look="card mission-form"
      name={name}
      act={act}
      work={submit}
      verb={verb}
      onCancel={onCancel}
      isUnsaved={() => prompt.peek() !== from.prompt}
    >
      <Area
        label="What to do"
        autoFocus
        value={prompt.value}
        fault={faultOf('prompt')}
        onInput={(value) => (prompt.value = value)}
      />
      <TextField
        label="When"
        placeholder="weekdays at 08:30"
        maxLength={maxScheduleChars}
        text={schedule}
        fault={faultOf('schedule')}
      />
      <TextField
        label="Time zone"
        placeholder="Europe/Zurich"
        maxLength={maxZoneChars}
        text={zone}
        fault={faultOf('zone')}
      />
      {zone.value !== own && (
        <p class="label mission-zone">
          This browser is in {own}.
          <Button kind="quiet" size="small" onClick={() => (zone.value = own)}>
            Use {own}
          </Button>
        </p>
      )}
      <Preview schedule={schedule.value} zone={zone.value} />
      <Refusal act={act} of={wrong.value} />
      {children}
    </Form>
  )
}

/** A refusal that is about none of the boxes. */
function Refusal({ act: { fault }, of }: { act: Act; of: string | undefined }) {
  if (fault.value === undefined || of === 'prompt' || of === 'schedule' || of === 'zone') return null
  return <FieldFault words={fault.value} />
}

type Read = { readonly preview?: SchedulePreview; readonly problem?: string }

/** The schedule as it was understood, with the next three runs. */
function Preview({ schedule, zone }: { schedule: string; zone: string }) {
  const read = useSignal<Read>({})
  useEffect(() => {
    if (schedule.trim() === '') {
      read.value = {}
      return undefined
    }
    const stop = new AbortController()
    const ask = async (): Promise<void> => {
      try {
        read.value = { preview: await previewSchedule({ schedule, zone }, stop.signal) }
      } catch (error) {
        if (!stop.signal.aborted) read.value = { problem: faultText(error) }
      }
    }
    const timer = setTimeout(() => void ask(), typingMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
    // Read again once the connection is back.
  }, [schedule, zone, reconnections.value])
  const { preview, problem } = read.value
  return (
    <div class="mission-preview" role="status">
      <Icon name="clock" />
      <p>{preview?.understood ?? problem ?? 'The next three runs are shown here as you type.'}</p>
    </div>
  )
}
