// The "Allow for…" popover: scopes from narrow to wide, the narrowest preselected. The button repeats the choice.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { GateAnswer, Scope } from '#doors/web/wire/gate.ts'
import { printable } from '#safety/printable.ts'
import { Button } from './button.tsx'
import { Segments } from './field.tsx'
import { Popover } from './menu.tsx'

type Span = 'hour' | 'day' | 'good'

const spans: readonly { readonly value: Span; readonly label: string }[] = [
  { value: 'hour', label: '1 hour' },
  { value: 'day', label: '1 day' },
  { value: 'good', label: 'Until revoked' },
]
const confirm: Readonly<Record<Span, string>> = {
  hour: 'Allow for 1 hour',
  day: 'Allow for 1 day',
  good: 'Allow until revoked',
}

type Props = {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly busy: boolean
  readonly onClose: () => void
  readonly onLeave: () => void
  readonly onAllow: (grantRequest: Required<Pick<GateAnswer, 'scope' | 'for' | 'untrusted'>>) => void
}

export function AllowFor({ name, scopes, busy, onClose, onLeave, onAllow }: Props) {
  const chosen = useSignal(scopes[0]?.scope ?? 'tool')
  const span = useSignal<Span>('hour')
  const untrusted = useSignal(false)
  const cleanOnly = scopes.find(({ scope }) => scope === chosen.value)?.clean === true
  const group = useId()
  return (
    <Popover role="dialog" name="Allow without asking" onClose={onClose} onLeave={onLeave}>
      <div class="allow-for">
        <div>
          <h3>Allow without asking</h3>
          <p>You can revoke this under Settings, Grants.</p>
        </div>
        <div role="radiogroup" aria-label="What is allowed" class="allow-scopes">
          {scopes.map(({ scope, words }, at) => (
            <label key={scope} class="radio">
              <input
                type="radio"
                class="tick"
                name={group}
                checked={chosen.value === scope}
                data-focus={at === 0 ? '' : undefined}
                onChange={() => (chosen.value = scope)}
              />
              <span>
                <code>{printable(name)}</code> {printable(words)}
              </span>
            </label>
          ))}
        </div>
        <Segments name="For how long" value={span.value} options={spans} onChange={(value) => (span.value = value)} />
        {!cleanOnly && (
          <label class="radio">
            <input
              type="checkbox"
              class="tick"
              checked={untrusted.value}
              onChange={(event) => (untrusted.value = event.currentTarget.checked)}
            />
            <span>Also when the turn has read untrusted content</span>
          </label>
        )}
        <div class="allow-actions">
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            kind="primary"
            busy={busy}
            onClick={() => onAllow({ scope: chosen.value, for: span.value, untrusted: untrusted.value && !cleanOnly })}
          >
            {confirm[span.value]}
          </Button>
        </div>
      </div>
    </Popover>
  )
}
