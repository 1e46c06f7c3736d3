// Another model: its provider, its name, where it is, and who stands in for it.
import { useSignal } from '@preact/signals'
import type { Settings } from '#doors/web/wire/settings.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Field, Select } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { tell } from '../store/notices.ts'
import { changeSettings } from '../store/settings.ts'

/** What is stored waits where the environment has the word. */
export function Connect({ found: { model, providers } }: { found: Settings }) {
  const provider = useSignal(model.provider)
  const name = useSignal(model.chosen_by === 'default' ? '' : model.name)
  const baseUrl = useSignal(model.base_url ?? '')
  const fallback = useSignal(model.fallback.join(', '))
  const act = useAct()
  const chosen = providers.find((each) => each.name === provider.value)
  const save = async (): Promise<void> => {
    const or = (text: string): string | null => text.trim() || null
    await changeSettings({
      provider: provider.value,
      model: or(name.value),
      base_url: or(baseUrl.value),
      fallback: or(fallback.value),
    })
    tell('The model is stored. The next turn uses it.')
  }
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
        <Field
          label="Model"
          mono
          placeholder="its usual one"
          value={name.value}
          onInput={(value) => (name.value = value)}
        />
        <Field
          label="Base URL"
          mono
          placeholder="the provider’s own"
          value={baseUrl.value}
          onInput={(value) => (baseUrl.value = value)}
        />
        <Field
          label="Stands in"
          mono
          placeholder="provider/model, provider/model"
          value={fallback.value}
          onInput={(value) => (fallback.value = value)}
        />
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
        <Note kind="clay" title="Nothing was changed">
          {act.fault.value}
        </Note>
      )}
      <div>
        <Button kind="primary" type="submit" busy={act.busy.value}>
          Use this model
        </Button>
      </div>
    </Form>
  )
}
