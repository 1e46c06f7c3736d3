// The model: choose one of the known models, test it, or connect another.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { ModelTrial, Settings } from '#doors/web/wire/settings.ts'
import { faultText } from '../api/client.ts'
import { priceText } from '../lib/words.ts'
import { useAct } from '../parts/act.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Pill } from '../parts/mark.tsx'
import { Note } from '../parts/note.tsx'
import { Section } from '../parts/section.tsx'
import { When } from '../parts/states.tsx'
import { notify } from '../store/notices.ts'
import { changeSettings, chooseModel, failedItsTest, settings, tryModel } from '../store/settings.ts'
import { ModelRefused } from './model-refused.tsx'
import { Answer, Connect } from './settings-connect.tsx'
import { Offered } from './settings-offered.tsx'

export function Model() {
  return (
    <Section
      title="Model"
      at="/settings/model"
      lead="Atrium uses the chosen one. A model marked “fallback” takes over when it fails."
    >
      <When of={settings} what="The model" rows={3}>
        {(found) => (
          <>
            {found.model.chosen_by === 'environment' && (
              <Note kind="plain" icon="sliders">
                LLM_PROVIDER is set in the environment and overrides the model that is chosen here.
              </Note>
            )}
            <Models found={found} />
            <TestAndConnect found={found} />
            <Offered key={found.model.offered.join()} model={found.model} />
          </>
        )}
      </When>
    </Section>
  )
}

const sources: Readonly<Record<Settings['model']['chosen_by'], string>> = {
  environment: 'set by LLM_PROVIDER',
  settings: 'chosen here',
  key: 'chosen because its key is in the environment',
  default: 'chosen because no other is set up',
}

type Known = Settings['models'][number]

function Models({ found: { model, models } }: { found: Settings }) {
  const group = useId()
  /** The model whose choice is being saved. */
  const pending = useSignal<string | undefined>(undefined)
  /** The model that did not answer its test, and why. */
  const refused = useSignal<{ readonly known: Known; readonly why: string } | undefined>(undefined)
  const choose = async (known: Known, force = false): Promise<void> => {
    pending.value = textOf(known)
    refused.value = undefined
    try {
      await chooseModel(known, { force })
      notify(`The next turn uses ${known.name}`)
    } catch (error) {
      if (failedItsTest(error)) refused.value = { known, why: faultText(error) }
      else notify(`The model was not changed. ${faultText(error)}`)
    } finally {
      pending.value = undefined
    }
  }
  const { known, why = '' } = refused.value ?? {}
  return (
    <>
      <div class="card ruled" role="radiogroup" aria-label="Models">
        {models.map((each) => {
          const { name, description, base_url, role, kept } = each
          const inUse = role === 'in_use'
          const key = textOf(each)
          return (
            <label key={key} class={inUse ? 'model-row model-in-use' : 'model-row'}>
              <input
                type="radio"
                class="tick"
                name={group}
                checked={pending.value === undefined ? inUse : pending.value === key}
                disabled={model.chosen_by === 'environment' && !inUse}
                onChange={() => {
                  if (pending.value === undefined) void choose(each)
                }}
              />
              <span class="model-words">
                <strong>{name}</strong>
                <span>
                  {description}
                  {base_url !== undefined && (
                    <>
                      {' '}
                      at <code>{base_url.replace(/^https?:\/\//, '')}</code>
                    </>
                  )}
                  {inUse && `, ${sources[model.chosen_by]}`}
                </span>
              </span>
              {inUse && <Pill kind="good">In use</Pill>}
              {pending.value === key && <Pill>Testing…</Pill>}
              {role === 'fallback' && <Pill>Fallback</Pill>}
              {role === 'offered' && <Pill>Offered</Pill>}
              <span class="model-price">{priceText(each)}</span>
              {kept && <IconButton icon="cross" name={`Forget ${name}`} onClick={() => void forget(each)} />}
            </label>
          )
        })}
      </div>
      {known && <ModelRefused why={why} busy={pending.value !== undefined} force={() => void choose(known, true)} />}
    </>
  )
}

type Named = Pick<Known, 'provider' | 'name'> & { readonly base_url?: string | undefined }

/** The service's name of a model: `provider/name@base_url`. */
function textOf({ provider, name, base_url }: Named): string {
  return `${provider}/${name}${base_url === undefined ? '' : `@${base_url}`}`
}

async function forget(model: Known): Promise<void> {
  try {
    await changeSettings({ models: { [textOf(model)]: null } })
  } catch (error) {
    notify(`${model.name} was not forgotten. ${faultText(error)}`)
  }
}

/** The test of the model in use, and the form that connects another model, which has a test of its own. */
function TestAndConnect({ found }: { found: Settings }) {
  const connecting = useSignal(true)
  const { busy, fault, run } = useAct()
  const trial = useSignal<ModelTrial | undefined>(undefined)
  const act = async (): Promise<void> => {
    trial.value = undefined
    await run(async () => {
      trial.value = await tryModel()
    })
  }
  const answer = trial.value
  return (
    <>
      <div class="model-acts">
        {!connecting.value && (
          <Button icon="pulse" busy={busy.value} onClick={() => void act()}>
            Test
          </Button>
        )}
        <Button
          kind="quiet"
          icon="plus"
          expanded={connecting.value}
          onClick={() => (connecting.value = !connecting.value)}
        >
          Connect another
        </Button>
      </div>
      <div role="status" class="model-status">
        {answer && <Answer trial={answer} />}
      </div>
      {fault.value !== undefined && (
        <Note kind="clay" title="It does not answer">
          {fault.value}
        </Note>
      )}
      {connecting.value && <Connect key={`${found.model.provider} ${found.model.name}`} found={found} />}
    </>
  )
}
