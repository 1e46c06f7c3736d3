// Settings: the model, limits, what is granted, who has access, and how the app looks.
import { Page } from '../parts/page.tsx'
import { place } from '../router.ts'
import { standing } from '../store/session.ts'
import { About, Appearance, Doors, Sessions } from './settings-here.tsx'
import { Grants } from './settings-grants.tsx'
import { Users } from './settings-users.tsx'
import './settings.css'

type Part = { readonly name: string; readonly at: string; readonly operator?: true }

const parts: readonly Part[] = [
  { name: 'Grants', at: '/settings/grants' },
  { name: 'Users', at: '/settings/users', operator: true },
  { name: 'Sessions', at: '/settings/sessions' },
  { name: 'Doors', at: '/settings/doors' },
  { name: 'Appearance', at: '/settings/appearance' },
  { name: 'About', at: '/settings/about' },
]

export function Settings() {
  const who = standing.value
  const operator = who.type === 'in' && who.session.operator
  const shown = parts.filter((part) => operator || !part.operator)
  const { path } = place.value
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
        <div class="settings-parts">
          <Grants />
          {operator && <Users />}
          <Sessions />
          <Doors />
          <Appearance />
          <About />
        </div>
      </div>
    </Page>
  )
}
