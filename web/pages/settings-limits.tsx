// Limits: what a turn and a day may cost, and how often a turn may ask its model.
import { useSignal } from '@preact/signals'
import type { Settings } from '#doors/web/wire/settings.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Section } from '../parts/section.tsx'
import { When } from '../parts/states.tsx'
import { tell } from '../store/notices.ts'
import { changeSettings, settings } from '../store/settings.ts'

export function Limits() {
  return (
    <Section title="Limits" at="/settings/limits">
      <When of={settings} what="The limits" rows={3}>
        {({ limits }) => (
          <div class="card setting-rows">
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
          </div>
        )}
      </When>
    </Section>
  )
}

type CapProps = {
  readonly limits: Settings['limits']
  readonly name: 'spend_per_turn_usd' | 'spend_per_day_usd' | 'steps_per_turn'
  readonly title: string
  readonly what: string
}

function Cap({ limits, name, title, what }: CapProps) {
  const stands = limits[name]
  const shown = name === 'steps_per_turn' ? String : amountText
  const text = useSignal(shown(stands))
  const act = useAct()
  if (limits.fixed.some((each) => each.toLowerCase() === name)) {
    return (
      <div class="setting-row">
        <div>
          <strong>{title}</strong>
          <p>Set by {name.toUpperCase()} in the environment</p>
        </div>
        <span class="number limit-fixed">{shown(stands) || 'none'}</span>
      </div>
    )
  }
  const changed = text.value.trim() !== shown(stands)
  const save = async (): Promise<void> => {
    const wanted = text.value.trim().replace(/^\$/, '')
    if (!(name === 'steps_per_turn' ? /^\d*$/ : /^(\d+([.,]\d+)?)?$/).test(wanted)) {
      throw new Error(name === 'steps_per_turn' ? 'Write a whole number.' : 'Write an amount such as 0.50, or nothing.')
    }
    await changeSettings({ [name]: wanted === '' ? null : Number(wanted.replace(',', '.')) })
    text.value = shown(settings.data.peek()?.limits[name] ?? null)
    tell(`${title} is stored`)
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
            Save
          </Button>
        )}
        <Field
          label={title}
          unlabelled
          value={text.value}
          fault={act.fault.value}
          placeholder={name === 'steps_per_turn' ? 'Its usual' : 'No limit'}
          onInput={(value) => (text.value = value)}
        />
      </div>
    </Form>
  )
}

/** `$5.00`, `$0.125`; nothing where there is no limit. */
function amountText(usd: number | null): string {
  if (usd === null) return ''
  const short = usd.toFixed(2)
  return `$${Number(short) === usd ? short : usd}`
}
