// Limits: cost per turn, cost per user and day, model calls per turn, days that threads are kept.
import { useSignal } from '@preact/signals'
import type { Settings } from '#doors/web/wire/settings.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Section } from '../parts/section.tsx'
import { SettingRow } from '../parts/setting-row.tsx'
import { When } from '../parts/states.tsx'
import { notify } from '../store/notices.ts'
import { changeSettings, settings } from '../store/settings.ts'

export function Limits() {
  return (
    <Section title="Limits" at="/settings/limits">
      <When of={settings} what="The limits" rows={3}>
        {({ limits }) => (
          <div class="card">
            <Cap
              limits={limits}
              name="spend_per_turn_usd"
              title="Spend per turn"
              what="Stops the turn and says so; empty for no limit"
            />
            <Cap
              limits={limits}
              name="spend_per_day_usd"
              title="Spend per user and day"
              what="Resets at midnight UTC; empty for no limit"
            />
            <Cap limits={limits} name="steps_per_turn" title="Steps per turn" what="Model calls before it must stop" />
            <Cap
              limits={limits}
              name="retention_days"
              title="Days to keep threads"
              what="Erases a thread so many days after its last activity; 0 keeps all"
            />
          </div>
        )}
      </When>
    </Section>
  )
}

type CapProps = {
  readonly limits: Settings['limits']
  readonly name: 'spend_per_turn_usd' | 'spend_per_day_usd' | 'steps_per_turn' | 'retention_days'
  readonly title: string
  readonly what: string
}

function Cap({ limits, name, title, what }: CapProps) {
  const stored = limits[name]
  const isCount = name === 'steps_per_turn' || name === 'retention_days'
  const shown = isCount ? String : amountText
  const text = useSignal(shown(stored))
  const act = useAct()
  if (limits.fixed.some((each) => each.toLowerCase() === name)) {
    return (
      <SettingRow title={title} what={`Set by ${name.toUpperCase()} in the environment`}>
        <span class="number limit-fixed">{shown(stored) || 'none'}</span>
      </SettingRow>
    )
  }
  const changed = text.value.trim() !== shown(stored)
  const save = async (): Promise<void> => {
    const amount = text.value.trim().replace(/^\$/, '')
    if (!(isCount ? /^\d*$/ : /^(\d+([.,]\d+)?)?$/).test(amount)) {
      throw new Error(isCount ? 'Write a whole number.' : 'Write an amount such as 0.50, or nothing.')
    }
    await changeSettings({ [name]: amount === '' ? null : Number(amount.replace(',', '.')) })
    text.value = shown(settings.data.peek()?.limits[name] ?? null)
    notify(`${title} is stored`)
  }
  return (
    <Form look="setting-row" name={title} act={act} work={save}>
      <div>
        <strong aria-hidden="true">{title}</strong>
        <p>{what}</p>
      </div>
      <div class="limit-field">
        {changed && (
          <Button type="submit" size="small" busy={act.busy.value}>
            Save<span class="unseen"> {title}</span>
          </Button>
        )}
        <TextField
          label={title}
          unlabelled
          text={text}
          fault={act.fault.value}
          placeholder={isCount ? 'Default' : 'No limit'}
        />
      </div>
    </Form>
  )
}

/** `$5.00`, `$0.125`; empty for no limit. */
function amountText(usd: number | null): string {
  if (usd === null) return ''
  const short = usd.toFixed(2)
  return `$${Number(short) === usd ? short : usd}`
}
