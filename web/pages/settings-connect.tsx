// The form that connects another model: provider, name, base URL and fallbacks.
import { useSignal } from '@preact/signals'
import type { Settings, SettingsChange } from '#doors/web/wire/settings.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Field, Select } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { notify } from '../store/notices.ts'
import { changeSettings, failedItsTest } from '../store/settings.ts'
import { ModelRefused } from './model-refused.tsx'

/** The stored choice has no effect while LLM_PROVIDER is set in the environment. */
export function Connect({ found: { model, providers } }: { found: Settings }) {
  const provider = useSignal(model.provider)
  const name = useSignal(model.chosen_by === 'default' ? '' : model.name)
  const baseUrl = useSignal(model.base_url ?? '')
  const fallback = useSignal(model.fallback.join(', '))
  const fields = [
    { label: 'Model', placeholder: 'the provider’s default', text: name },
    { label: 'Base URL', placeholder: 'the provider’s default', text: baseUrl },
    { label: 'Stands in', placeholder: 'provider/model, provider/model', text: fallback },
  ]
  const act = useAct()
  const chosen = providers.find((each) => each.name === provider.value)
  /** The change whose model did not answer. */
  const refused = useSignal<SettingsChange | undefined>(undefined)
  const store = async (change: SettingsChange): Promise<void> => {
    refused.value = undefined
    try {
      await changeSettings(change)
    } catch (error) {
      if (failedItsTest(error)) refused.value = change
      throw error
    }
    notify('The model is stored. The next turn uses it.')
  }
  const save = (): Promise<void> => {
    const or = (text: string): string | null => text.trim() || null
    return store({
      provider: provider.value,
      model: or(name.value),
      base_url: or(baseUrl.value),
      fallback: or(fallback.value),
    })
  }
  const change = refused.value
  return (
    <Form look="card model-form" name="Connect another" act={act} work={save}>
      <div class="model-fields">
        <Select
          name="Provider"
          value={provider.value}
          options={providers.map((each) => ({ value: each.name, label: each.name }))}
          onChange={(value) => {
            provider.value = value
            name.value = ''
            baseUrl.value = ''
          }}
        />
        {fields.map(({ label, placeholder, text }) => (
          <Field
            key={label}
            label={label}
            mono
            placeholder={placeholder}
            value={text.value}
            onInput={(value) => (text.value = value)}
          />
        ))}
      </div>
      <p class="label">
        {chosen?.description}
        {chosen && chosen.missing.length > 0 && `. It needs ${chosen.missing.join(' and ')}.`}
        {chosen && chosen.missing.some((each) => each.endsWith('_KEY')) && (
          <>
            {' '}
            In a terminal: <code>atrium secret set {chosen.missing.find((each) => each.endsWith('_KEY'))}</code>
          </>
        )}
      </p>
      {act.fault.value !== undefined && (
        <ModelRefused
          why={act.fault.value}
          busy={act.busy.value}
          force={change && (() => void act.run(() => store({ ...change, force: true })))}
        />
      )}
      <div>
        <Button kind="primary" type="submit" busy={act.busy.value}>
          Use this model
        </Button>
      </div>
    </Form>
  )
}
