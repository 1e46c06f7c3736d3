// Notifications: the ways to the user with their events, quiet hours, and this device.
import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import type { NotificationSettings, Way } from '#doors/web/wire/notification.ts'
import { whenText } from '../lib/words.ts'
import { useAct } from '../parts/act.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { FieldFault, Switch, TextField } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { Section } from '../parts/section.tsx'
import { SettingRow } from '../parts/setting-row.tsx'
import { When } from '../parts/states.tsx'
import { now } from '../store/clock.ts'
import { notify } from '../store/notices.ts'
import {
  addTopic,
  allowedHere,
  allowHere,
  changeWay,
  enableHere,
  findSubscription,
  type NewsEvent,
  notifications,
  ownEndpoint,
  pushProblem,
  type Quiet,
  removeWay,
  setQuiet,
  testWay,
} from '../store/notifications.ts'
import './settings-notifications.css'

const events: readonly { readonly name: NewsEvent; readonly label: string }[] = [
  { name: 'needs_you', label: 'Needs you' },
  { name: 'finished', label: 'Finished' },
  { name: 'failed', label: 'Failed' },
]
const kinds: Readonly<Record<Way['kind'], string>> = { push: 'Browser', ntfy: 'ntfy', telegram: 'Telegram' }

export function Notifications() {
  const adding = useSignal(false)
  useEffect(() => {
    void notifications.load()
    void findSubscription()
  }, [])
  return (
    <Section
      title="Notifications"
      at="/settings/notifications"
      lead="How you are told of requests, long work and failures."
      action={
        <Button icon="plus" expanded={adding.value} onClick={() => (adding.value = !adding.value)}>
          Add ntfy topic
        </Button>
      }
    >
      {adding.value && <AddTopic onEnd={() => (adding.value = false)} />}
      <When of={notifications} what="The notifications" rows={3}>
        {(found) => (
          <>
            {found.removed.map((way) => (
              <Removed key={way.id} way={way} />
            ))}
            <div class="card">
              <ThisDevice found={found} />
              <OpenPage />
              {found.ways.map((way) => (
                <WayRow key={way.id} way={way} />
              ))}
              <QuietHours key={JSON.stringify(found.quiet)} quiet={found.quiet} />
            </div>
          </>
        )}
      </When>
    </Section>
  )
}

function AddTopic({ onEnd }: { onEnd: () => void }) {
  const url = useSignal('')
  const act = useAct()
  const add = async (): Promise<void> => {
    await addTopic(url.value.trim())
    notify('The topic is added. Send a test to try it.')
    onEnd()
  }
  return (
    <Form look="card way-form" name="Add ntfy topic" act={act} work={add} verb="Add topic" onCancel={onEnd}>
      <TextField
        label="Address of the topic"
        mono
        autoFocus
        placeholder="https://ntfy.sh/a-long-random-name"
        hint="Anybody who knows the address can read it: choose a long random name."
        fault={act.fault.value}
        text={url}
      />
    </Form>
  )
}

/** A way that was removed because it was gone. */
function Removed({ way: { id, kind, label, removed_at, because } }: { way: NotificationSettings['removed'][number] }) {
  return (
    <Note
      kind="sun"
      title={`${kinds[kind]}: ${label} was removed ${whenText(removed_at, now.value)}`}
      actions={
        <ActButton size="small" act={() => removeWay(id)} failed="It is still here.">
          Dismiss<span class="unseen"> {label}</span>
        </ActButton>
      }
    >
      It could not be reached any more: {because}. Add it again if you still want it.
    </Note>
  )
}

function ThisDevice({ found: { ways, push_key } }: { found: NotificationSettings }) {
  const { busy, fault, run } = useAct()
  const enabled = ways.some(({ url }) => url !== undefined && url === ownEndpoint.value)
  const problem = pushProblem()
  const enable = async (): Promise<void> => {
    await enableHere(push_key)
    notify('This device is notified from now on')
  }
  return (
    <SettingRow
      title="This device"
      what={problem ?? (enabled ? 'It is notified, also while this page is closed.' : 'Also while this page is closed')}
      fault={fault.value}
    >
      {!enabled && problem === undefined && (
        <Button busy={busy.value} onClick={() => void run(enable)}>
          Enable on this device
        </Button>
      )}
    </SettingRow>
  )
}

/** A page that is open but not looked at can notify without a push service. */
function OpenPage() {
  const { busy, fault, run } = useAct()
  if (pushProblem() !== undefined) return null
  const allow = async (): Promise<void> => {
    await allowHere()
    notify('This page tells you when a turn ends or waits')
  }
  return (
    <SettingRow
      title="While this page is in the background"
      what={allowedHere.value ? 'It tells you when a turn ends or waits.' : 'When a turn ends or waits for you'}
      fault={fault.value}
    >
      {!allowedHere.value && (
        <Button busy={busy.value} onClick={() => void run(allow)}>
          Allow notifications
        </Button>
      )}
    </SettingRow>
  )
}

function WayRow({ way }: { way: Way }) {
  const { id, kind, label, url, content } = way
  const { run } = useAct()
  const name = kind === 'ntfy' ? (url ?? label) : label
  const here = url !== undefined && url === ownEndpoint.value
  const test = async (): Promise<void> => {
    const { outcome, error } = await testWay(id)
    notify(outcome === 'sent' ? `A test was sent to ${label}` : `The test did not arrive. ${error ?? ''}`)
  }
  return (
    <div class="setting-row way" role="group" aria-label={name}>
      <div class="way-words">
        <strong>{name}</strong>
        <p>
          {kinds[kind]}
          {here && ', this device'}
        </p>
      </div>
      <Events way={way} />
      <label class="way-content">
        <Switch
          name={`Messages to ${name} have the words of the thread`}
          on={content}
          onChange={(on) => void run(() => changeWay(id, { content: on }), 'It was not changed.')}
        />
        <span>Show content</span>
      </label>
      <div class="way-acts">
        <ActButton size="small" act={test} failed="The test was not sent.">
          Test<span class="unseen"> {name}</span>
        </ActButton>
        <Confirm
          label="Disconnect"
          of={name}
          question={`Disconnect ${label}?`}
          act={async () => {
            await removeWay(id)
            notify(`${label} is disconnected`)
          }}
        >
          You are not notified there any more.
        </Confirm>
      </div>
    </div>
  )
}

/** Which events a way gets. */
function Events({ way }: { way: Way }) {
  const { run } = useAct()
  const toggle = (name: NewsEvent, on: boolean): Promise<void> =>
    run(() => {
      const chosen = events.filter((each) => (each.name === name ? on : way.events.includes(each.name)))
      return changeWay(way.id, { events: chosen.map((each) => each.name) })
    }, 'It was not changed.')
  return (
    <div class="way-events" role="group" aria-label="Events">
      {events.map(({ name, label }) => (
        <label key={name}>
          <input
            class="tick"
            type="checkbox"
            checked={way.events.includes(name)}
            onChange={(event) => void toggle(name, event.currentTarget.checked)}
          />
          {label}
        </label>
      ))}
    </div>
  )
}

/** The zone of this browser is offered first. */
function QuietHours({ quiet }: { quiet: Quiet | null }) {
  const id = useId()
  const from = useSignal(quiet?.from ?? '22:00')
  const to = useSignal(quiet?.to ?? '07:00')
  const zone = useSignal(quiet?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone)
  const act = useAct()
  const save = async (): Promise<void> => {
    await setQuiet({ from: from.value, to: to.value, zone: zone.value.trim() })
    notify('Quiet hours are stored')
  }
  const end = async (): Promise<void> => {
    await setQuiet(null)
    notify('Quiet hours are off')
  }
  const times = [
    { label: 'From', value: from },
    { label: 'To', value: to },
  ]
  return (
    <Form look="setting-row quiet-form" name="Quiet hours" act={act} work={save}>
      <div>
        <strong>Quiet hours</strong>
        <p>{quiet ? 'News of these hours comes after them, as one message.' : 'They are off.'}</p>
        {act.fault.value !== undefined && <FieldFault words={act.fault.value} />}
      </div>
      <div class="quiet-fields">
        {times.map(({ label, value }) => (
          <div key={label} class="field">
            <label for={`${id}${label}`}>{label}</label>
            <input
              id={`${id}${label}`}
              class="input"
              type="time"
              required
              value={value.value}
              onInput={(event) => (value.value = event.currentTarget.value)}
            />
          </div>
        ))}
        <TextField label="Time zone" text={zone} />
        <div class="form-buttons">
          <Button type="submit" busy={act.busy.value}>
            {quiet ? 'Save' : 'Switch on'}
            <span class="unseen"> quiet hours</span>
          </Button>
          {quiet && (
            <Button kind="quiet" onClick={() => void act.run(end)}>
              Switch off<span class="unseen"> quiet hours</span>
            </Button>
          )}
        </div>
      </div>
    </Form>
  )
}
