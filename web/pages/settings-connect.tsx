// The form that connects a model: provider, key, name, base URL and fallbacks. The model answers a test before it is stored.
import { type Signal, useSignal } from '@preact/signals'
import { costWords, countWords, durationWords, sentence } from '#core/words.ts'
import type { Connection, ModelTrial, Settings, SettingsChange } from '#doors/web/wire/settings.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Select, TextField } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { notify } from '../store/notices.ts'
import { changeSettings, failedItsTest, listProviderModels, tryConnection } from '../store/settings.ts'
import { ModelRefused } from './model-refused.tsx'
import './settings-model.css'

type Props = {
  readonly found: Settings
  /** Begins without a provider: the one in use is nobody's choice. */
  readonly unchosen?: boolean
}

/** The stored choice has no effect while LLM_PROVIDER is set in the environment. */
export function Connect({ found: { model, providers }, unchosen = false }: Props) {
  const provider = useSignal(unchosen ? '' : model.provider)
  const key = useSignal('')
  const name = useSignal(unchosen || model.chosen_by === 'default' ? '' : model.name)
  const baseUrl = useSignal(model.base_url ?? '')
  const fallback = useSignal(model.fallback.join(', '))
  const names = useSignal<readonly string[]>([])
  const trial = useSignal<ModelTrial | undefined>(undefined)
  /** The change whose model did not answer. */
  const refused = useSignal<SettingsChange | undefined>(undefined)
  const act = useAct()
  const testing = useAct()
  const listing = useAct()
  const chosen = providers.find((each) => each.name === provider.value)
  const connection = (): Connection => ({
    provider: provider.value,
    model: textOrNull(name),
    base_url: textOrNull(baseUrl),
    key: textOrNull(key),
  })
  const store = async (change: SettingsChange): Promise<void> => {
    refused.value = undefined
    trial.value = undefined
    try {
      await changeSettings(change)
    } catch (error) {
      if (failedItsTest(error)) refused.value = change
      throw error
    }
    key.value = ''
    notify('The model is stored. The next turn uses it.')
  }
  const test = async (): Promise<void> => {
    refused.value = undefined
    trial.value = undefined
    trial.value = await tryConnection(connection())
  }
  const list = async (): Promise<void> => {
    names.value = await listProviderModels(connection())
    if (names.value.length === 0) throw new Error('The provider lists no models. Type the name.')
  }
  const change = refused.value
  return (
    <Form
      look="card model-form"
      name="Connect another"
      act={act}
      work={() => store({ ...connection(), fallback: textOrNull(fallback) })}
    >
      <div class="model-fields">
        <Select
          name="Provider"
          value={provider.value}
          options={[
            ...(chosen ? [] : [{ value: '', label: 'Choose a provider' }]),
            ...providers.map((each) => ({ value: each.name, label: each.name })),
          ]}
          onChange={(value) => {
            provider.value = value
            for (const each of [name, baseUrl, key]) each.value = ''
            names.value = []
          }}
        />
        {chosen?.key !== undefined && (
          <TextField
            label="Key"
            type="password"
            mono
            autoComplete="new-password"
            placeholder={chosen.missing.includes(chosen.key) ? chosen.key : 'the one that is set'}
            text={key}
          />
        )}
        <TextField label="Model" mono placeholder="the provider’s default" options={names.value} text={name} />
        <TextField label="Base URL" mono placeholder="the provider’s default" text={baseUrl} />
        <TextField label="Fallbacks" mono placeholder="provider/model, provider/model" text={fallback} />
      </div>
      <p class="label">
        {chosen && sentence(chosen.description)}
        {chosen && chosen.missing.length > 0 && ` It needs ${chosen.missing.join(' and ')}.`}
        {chosen?.key !== undefined && ' A key is sealed with the choice and never shown again.'}
        {names.value.length > 0 && ` It lists ${countWords(names.value.length, 'model')}.`}
      </p>
      <div role="status" class="model-status">
        {trial.value && <Answer trial={trial.value} />}
      </div>
      {testing.fault.value !== undefined && (
        <Note kind="clay" title="It does not answer">
          {testing.fault.value}
        </Note>
      )}
      {listing.fault.value !== undefined && (
        <Note kind="clay" title="There is no list of models">
          {listing.fault.value}
        </Note>
      )}
      {act.fault.value !== undefined && (
        <ModelRefused
          why={act.fault.value}
          busy={act.busy.value}
          force={change && (() => void act.run(() => store({ ...change, force: true })))}
        />
      )}
      <div class="model-acts">
        <Button kind="primary" type="submit" disabled={!chosen} busy={act.busy.value}>
          Connect
        </Button>
        <Button icon="pulse" disabled={!chosen} busy={testing.busy.value} onClick={() => void testing.run(test)}>
          Test
        </Button>
        <Button
          kind="quiet"
          icon="list"
          disabled={!chosen}
          busy={listing.busy.value}
          onClick={() => void listing.run(list)}
        >
          List its models
        </Button>
      </div>
    </Form>
  )
}

function textOrNull(text: Signal<string>): string | null {
  return text.value.trim() || null
}

/** The answer of a model to its test. */
export function Answer({ trial }: { trial: ModelTrial }) {
  const tokens = countWords(trial.input_tokens + trial.output_tokens, 'token')
  return (
    <Note
      kind="good"
      title="It answers"
      aside={
        <span>
          {durationWords(trial.ms)}, {tokens}, {costWords(trial.cost_usd)}
        </span>
      }
    >
      {trial.words === '' ? 'Without words.' : `“${trial.words}”`}
    </Note>
  )
}
