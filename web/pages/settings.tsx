// The Settings page. Some sections are for the operator only.
import { useEffect } from 'preact/hooks'
import { Page } from '../parts/page.tsx'
import { route } from '../router.ts'
import { isOperator } from '../store/session.ts'
import { settings } from '../store/settings.ts'
import { About, Appearance, Doors, Sessions, ThreadFiles } from './settings-here.tsx'
import { Grants } from './settings-grants.tsx'
import { Limits } from './settings-limits.tsx'
import { Marks } from './settings-marks.tsx'
import { Model } from './settings-model.tsx'
import { Notifications } from './settings-notifications.tsx'
import { Policy } from './settings-policy.tsx'
import { Users } from './settings-users.tsx'
import './settings.css'

type Part = { readonly name: string; readonly at: string; readonly operator?: true }

const parts: readonly Part[] = [
  { name: 'Model', at: '/settings/model', operator: true },
  { name: 'Limits', at: '/settings/limits', operator: true },
  { name: 'Policy', at: '/settings/policy', operator: true },
  { name: 'Marks', at: '/settings/marks', operator: true },
  { name: 'Grants', at: '/settings/grants' },
  { name: 'Notifications', at: '/settings/notifications' },
  { name: 'Users', at: '/settings/users', operator: true },
  { name: 'Sessions', at: '/settings/sessions' },
  { name: 'Doors', at: '/settings/doors' },
  { name: 'Threads', at: '/settings/threads' },
  { name: 'Appearance', at: '/settings/appearance' },
  { name: 'About', at: '/settings/about' },
]

export function Settings() {
  const shown = parts.filter((part) => isOperator.value || !part.operator)
  useEffect(() => {
    if (isOperator.value) void settings.load()
  }, [isOperator.value])
  const { path } = route.value
  const current = shown.find(({ at }) => at === path) ?? shown[0]
  return (
    <Page title="Settings" lead="Changes apply to the next turn. Nothing restarts.">
      <div class="settings">
        <nav class="settings-nav" aria-label="Settings">
          {shown.map(({ name, at }) => (
            <a key={at} href={at} aria-current={current?.at === at ? 'true' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <div>
          {isOperator.value && (
            <>
              <Model />
              <Limits />
              <Policy />
              <Marks />
            </>
          )}
          <Grants />
          <Notifications />
          {isOperator.value && <Users />}
          <Sessions />
          <Doors />
          <ThreadFiles />
          <Appearance />
          <About />
        </div>
      </div>
    </Page>
  )
}
