// The model that answers: which one, another one, and whether it does.
import { useSignal } from '@preact/signals'
import { faultText } from '../api/client.ts'
import type { ModelTrial, Settings } from '../api/wire.ts'
import { costText, countText, durationText } from '../lib/words.ts'
import { Button } from '../parts/button.tsx'
import { Field, Select } from '../parts/field.tsx'
import { Pill } from '../parts/mark.tsx'
import { Note } from '../parts/note.tsx'
import { Section } from '../parts/section.tsx'
import { When } from '../parts/states.tsx'
import { tell } from '../store/notices.ts'
import { changeSettings, settings, tryModel } from '../store/settings.ts'

export function Model() {
  return (
    <Section
      title="Model"
      at="/settings/model"
      lead="Atrium uses the chosen one. A model marked “stands in” takes over when it fails."
    >
      <When of={settings} what="The model" rows={3}>
        {(found) => (
          <>
            <InUse found={found} />
            <Choice key={`${found.model.provider} ${found.model.name}`} found={found} />
            <Trial />
          </>
        )}
      </When>
    </Section>
  )
}

const sources: Readonly<Record<Settings['model']['chosen_by'], string>> = {
  environment: 'chosen by LLM_PROVIDER in the environment',
  settings: 'chosen here',
  key: 'chosen since its key is in the environment',
  default: 'chosen since no other is',
}

function InUse({ found: { model, providers } }: { found: Settings }) {
  const what = providers.find(({ name }) => name === model.provider)?.description ?? model.provider
  return (
    <ul class="card setting-rows">
      <li class="setting-row model-in-use">
        <div>
          <strong>{model.name}</strong>
          <p>
            {what}, {sources[model.chosen_by]}
          </p>
        </div>
        <Pill>In use</Pill>
      </li>
      {model.fallback.map((name) => (
        <li key={name} class="setting-row">
          <strong>{name}</strong>
          <Pill>Stands in</Pill>
        </li>
      ))}
    </ul>
  )
}

/** Another model. What is stored waits where the environment has the word. */
function Choice({ found: { model, providers } }: { found: Settings }) {
  const provider = useSignal(model.provider)
  const name = useSignal(model.chosen_by === 'default' ? '' : model.name)
  const baseUrl = useSignal(model.base_url ?? '')
  const fallback = useSignal(model.fallback.join(', '))
  const fault = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)
  const chosen = providers.find((each) => each.name === provider.value)
  const save = async (): Promise<void> => {
    busy.value = true
    fault.value = undefined
    try {
      const or = (text: string): string | null => text.trim() || null
      await changeSettings({
        provider: provider.value,
        model: or(name.value),
        base_url: or(baseUrl.value),
        fallback: or(fallback.value),
      })
      tell('The model is stored. The next turn uses it.')
    } catch (error) {
      fault.value = faultText(error)
    } finally {
      busy.value = false
    }
  }
  return (
    <form
      class="card model-form"
      aria-label="Choose a model"
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy.value) void save()
      }}
    >
      {model.chosen_by === 'environment' && (
        <Note kind="sun">LLM_PROVIDER is set in the environment and wins: what is stored here waits behind it.</Note>
      )}
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
      {fault.value !== undefined && (
        <Note kind="clay" title="Nothing was changed">
          {fault.value}
        </Note>
      )}
      <div>
        <Button kind="primary" type="submit" busy={busy.value}>
          Use this model
        </Button>
      </div>
    </form>
  )
}

/** One short live call of the model in use. */
function Trial() {
  const busy = useSignal(false)
  const trial = useSignal<ModelTrial | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const act = async (): Promise<void> => {
    busy.value = true
    trial.value = undefined
    fault.value = undefined
    try {
      trial.value = await tryModel()
    } catch (error) {
      fault.value = faultText(error)
    } finally {
      busy.value = false
    }
  }
  const answer = trial.value
  return (
    <>
      <div>
        <Button icon="pulse" busy={busy.value} onClick={() => void act()}>
          Test
        </Button>
      </div>
      <div role="status">
        {answer && (
          <Note
            kind="good"
            title="It answers"
            aside={
              <span>
                {durationText(answer.ms)}, {countText(answer.input_tokens + answer.output_tokens, 'token')},{' '}
                {costText(answer.cost_usd)}
              </span>
            }
          >
            {answer.words === '' ? 'Without words.' : `“${answer.words}”`}
          </Note>
        )}
      </div>
      {fault.value !== undefined && (
        <Note kind="clay" title="It does not answer">
          {fault.value}
        </Note>
      )}
    </>
  )
}
