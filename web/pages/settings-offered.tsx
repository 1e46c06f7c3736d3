// The models that can be chosen for a thread, beside the usual one and its fallbacks.
import { useSignal } from '@preact/signals'
import type { Settings } from '#doors/web/wire/settings.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { notify } from '../store/notices.ts'
import { changeSettings } from '../store/settings.ts'

export function Offered({ model: { offered, offered_fixed } }: { model: Settings['model'] }) {
  const stored = offered.join(', ')
  const text = useSignal(stored)
  const act = useAct()
  if (offered_fixed) return <p class="label">LLM_MODELS in the environment offers {stored} for each thread.</p>
  const save = async (): Promise<void> => {
    await changeSettings({ offered: text.value.trim() || null })
    notify('The models for threads are stored')
  }
  return (
    <Form look="card model-form" name="Offered for threads" act={act} work={save}>
      <TextField
        label="Offered for threads"
        mono
        text={text}
        fault={act.fault.value}
        placeholder="provider/model, provider/model"
        hint="Everybody may choose one of these for a thread. Each needs its key."
      />
      {text.value.trim() !== stored && (
        <div>
          <Button type="submit" busy={act.busy.value}>
            Save<span class="unseen"> the models for threads</span>
          </Button>
        </div>
      )}
    </Form>
  )
}
