// Limits: what a turn and a day may cost.
import { useSignal } from '@preact/signals'
import { faultText } from '../api/client.ts'
import type { Settings } from '../api/wire.ts'
import { numberText } from '../lib/words.ts'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
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
            <div class="setting-row">
              <div>
                <strong>Steps per turn</strong>
                <p>Model calls before it must stop</p>
              </div>
              <span class="number limit-fixed">{numberText(limits.steps_per_turn)}</span>
            </div>
          </div>
        )}
      </When>
    </Section>
  )
}

type CapProps = {
  readonly limits: Settings['limits']
  readonly name: 'spend_per_turn_usd' | 'spend_per_day_usd'
  readonly title: string
  readonly what: string
}

function Cap({ limits, name, title, what }: CapProps) {
  const stands = limits[name]
  const text = useSignal(amountText(stands))
  const fault = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)
  if (limits.fixed.some((each) => each.toLowerCase() === name)) {
    return (
      <div class="setting-row">
        <div>
          <strong>{title}</strong>
          <p>Set by {name.toUpperCase()} in the environment</p>
        </div>
        <span class="number limit-fixed">{amountText(stands) || 'none'}</span>
      </div>
    )
  }
  const changed = text.value.trim() !== amountText(stands)
  const save = async (): Promise<void> => {
    const wanted = text.value.trim().replace(/^\$/, '')
    if (!/^(\d+([.,]\d+)?)?$/.test(wanted)) {
      fault.value = 'Write an amount such as 0.50, or nothing.'
      return
    }
    busy.value = true
    fault.value = undefined
    try {
      await changeSettings({ [name]: wanted === '' ? null : Number(wanted.replace(',', '.')) })
      text.value = amountText(settings.data.peek()?.limits[name] ?? null)
      tell(`${title} is stored`)
    } catch (error) {
      fault.value = faultText(error)
    } finally {
      busy.value = false
    }
  }
  return (
    <form
      class="setting-row"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy.value) void save()
      }}
    >
      <div>
        <strong aria-hidden="true">{title}</strong>
        <p>{what}</p>
      </div>
      <div class="limit-field">
        {changed && (
          <Button type="submit" size="small" busy={busy.value}>
            Save
          </Button>
        )}
        <Field
          label={title}
          unlabelled
          value={text.value}
          fault={fault.value}
          placeholder="No limit"
          onInput={(value) => (text.value = value)}
        />
      </div>
    </form>
  )
}

/** `$5.00`, `$0.125`; nothing where there is no limit. */
function amountText(usd: number | null): string {
  if (usd === null) return ''
  const short = usd.toFixed(2)
  return `$${Number(short) === usd ? short : usd}`
}
