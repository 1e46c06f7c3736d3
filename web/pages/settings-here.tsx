// Settings of this browser and facts about the service: sessions, doors, theme, status.
import { countWords, spanWords, storedWords } from '#core/words.ts'
import { type DoorLook, doorOf } from '../lib/doors.ts'
import { untilText } from '../lib/words.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Button } from '../parts/button.tsx'
import { Segments } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Section } from '../parts/section.tsx'
import { SettingRow } from '../parts/setting-row.tsx'
import { When } from '../parts/states.tsx'
import { now } from '../store/clock.ts'
import { service } from '../store/service.ts'
import { sessionState } from '../store/session.ts'
import { signOut } from '../store/sign-out.ts'
import { setTheme, type Theme, theme } from '../store/shell.ts'
import { importThread } from '../store/thread-import.ts'

export function Sessions() {
  const who = sessionState.value
  if (who.type !== 'in') return null
  const { user, operator, expires_at } = who.session
  return (
    <Section title="Sessions" at="/settings/sessions" lead="Where you are signed in.">
      <div class="card">
        <SettingRow
          title={user}
          what={
            <>
              {operator ? 'The operator. ' : ''}
              {expires_at !== null && `This session ends ${untilText(expires_at, now.value)} unless it is used.`}{' '}
              Signing out deletes drafts and unsent messages in this browser.
            </>
          }
        >
          <SignOutButton label="Sign out" everywhere={false} />
        </SettingRow>
        <SettingRow title="Every browser" what="Ends all of your sessions, this one too. Tokens go on working.">
          <SignOutButton label="Sign out everywhere" everywhere />
        </SettingRow>
      </div>
    </Section>
  )
}

/** Brings a thread of another installation here. */
export function ThreadFiles() {
  return (
    <Section title="Threads" at="/settings/threads">
      <div class="card">
        <SettingRow
          title="Import a thread"
          what="From the JSON file of an exported thread. All of its text counts as untrusted."
        >
          <Button onClick={() => void importThread()}>
            Import<span class="unseen"> a thread</span>
          </Button>
        </SettingRow>
      </div>
    </Section>
  )
}

function SignOutButton({ label, everywhere }: { label: string; everywhere: boolean }) {
  const kind = everywhere ? 'clay' : 'plain'
  return (
    <ActButton kind={kind} act={() => signOut(everywhere)} failed="You are still signed in.">
      {label}
    </ActButton>
  )
}

const doors: Readonly<Record<string, DoorLook & { readonly what: string }>> = {
  terminal: { ...doorOf('terminal'), what: 'Where the service was started' },
  gateway: { icon: 'browser', label: 'Browser and API', what: 'This app, the web gateway and the Responses API' },
  webhook: { ...doorOf('webhook'), what: 'Messages that other programs send' },
  telegram: { ...doorOf('telegram'), what: 'Chats with the bot' },
}

export function Doors() {
  return (
    <Section title="Doors" at="/settings/doors" lead="Ways in that are open now.">
      <When of={service} what="The doors" rows={2}>
        {(status) => (
          <ul class="card">
            {status.doors.map(({ name, address }) => (
              <li key={name} class="setting-row">
                <div class="door">
                  <Icon name={doors[name]?.icon ?? 'api'} />
                  <div>
                    <strong>{doors[name]?.label ?? name}</strong>
                    <p>{doors[name]?.what ?? ''}</p>
                  </div>
                </div>
                {address && <code>{address}</code>}
              </li>
            ))}
          </ul>
        )}
      </When>
    </Section>
  )
}

const themes: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

export function Appearance() {
  return (
    <Section title="Appearance" at="/settings/appearance">
      <div class="card">
        <SettingRow title="Theme" what="Kept in this browser">
          <Segments<Theme> name="Theme" value={theme.value} options={themes} onChange={setTheme} />
        </SettingRow>
      </div>
    </Section>
  )
}

export function About() {
  return (
    <Section title="About" at="/settings/about">
      <When of={service} what="The service" rows={3}>
        {(status) => (
          <dl class="card facts about">
            <dt>Version</dt>
            <dd>{status.version}</dd>
            <dt>Running for</dt>
            <dd>{spanWords(status.uptime_secs)}</dd>
            <dt>Model</dt>
            <dd>
              {status.llm_backend === status.llm_model
                ? status.llm_model
                : `${status.llm_model}, ${status.llm_backend}`}
            </dd>
            {status.llm_skipped && (
              <>
                <dt>Skipped</dt>
                <dd>{status.llm_skipped.join(', ')} (repeated failures)</dd>
              </>
            )}
            <dt>Database</dt>
            <dd>{status.database_backend === 'postgres' ? 'PostgreSQL' : 'SQLite'}</dd>
            <dt>Your storage</dt>
            <dd>{storedWords(status.storage.used_bytes, status.storage.max_bytes)}</dd>
            <dt>Tools in the sandbox</dt>
            <dd>{status.sandbox_enabled ? 'can run' : 'cannot run here'}</dd>
            <dt>At work</dt>
            <dd>{countWords(status.active_jobs, 'job')}</dd>
          </dl>
        )}
      </When>
    </Section>
  )
}
