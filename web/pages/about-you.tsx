// Asks a new user once for a name and a time zone.
import { useSignal } from '@preact/signals'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { met, saveAboutYou, stopAsking } from '../store/about-you.ts'
import { notify } from '../store/notices.ts'
import './about-you.css'

const maxNameChars = 80

export function AboutYou() {
  const name = useSignal('')
  const zone = useSignal(Intl.DateTimeFormat().resolvedOptions().timeZone)
  const act = useAct()
  if (met()) return null
  const save = async (): Promise<void> => {
    await saveAboutYou({ name: name.value, zone: zone.value })
    notify('Atrium remembers it. Memory has it as USER.md.')
  }
  return (
    <Form look="card about-you" name="About you" act={act} work={save}>
      <p class="label">
        Atrium uses your name and your local time in its answers. Both are kept in memory, where you can change them.
        New missions take the time zone.
      </p>
      <div class="about-fields">
        <TextField label="Your name" autoComplete="name" maxLength={maxNameChars} text={name} />
        <TextField
          label="Time zone"
          options={Intl.supportedValuesOf('timeZone')}
          maxLength={maxNameChars}
          text={zone}
        />
      </div>
      {act.fault.value !== undefined && <Note kind="clay">{act.fault.value}</Note>}
      <div class="about-acts">
        <Button type="submit" busy={act.busy.value}>
          Remember this
        </Button>
        <Button kind="quiet" onClick={stopAsking}>
          Not now
        </Button>
      </div>
    </Form>
  )
}
