// Marks: what text from outside is marked for. They stop nothing by themselves.
import { useSignal } from '@preact/signals'
import type { Mark } from '#doors/web/wire/settings.ts'
import { faultText } from '../api/client.ts'
import { countText } from '../lib/words.ts'
import { Button } from '../parts/button.tsx'
import { Switch } from '../parts/field.tsx'
import { Section } from '../parts/section.tsx'
import { When } from '../parts/states.tsx'
import { tell } from '../store/notices.ts'
import { settings, switchMark } from '../store/settings.ts'

export function Marks() {
  return (
    <Section
      title="Marks"
      at="/settings/marks"
      lead="What in text from outside looks like an order to the agent. A mark is told to the model and noted on the receipt."
    >
      <When of={settings} what="The marks" rows={1}>
        {({ marks }) => <List marks={marks} />}
      </When>
    </Section>
  )
}

function List({ marks }: { marks: readonly Mark[] }) {
  const open = useSignal(false)
  const off = marks.filter(({ on }) => !on).length
  return (
    <ul class="card setting-rows" aria-label="Marks">
      <li class="setting-row">
        <strong>{off === 0 ? `All ${marks.length} are on` : `${countText(off, 'mark')} of ${marks.length} off`}</strong>
        <Button expanded={open.value} onClick={() => (open.value = !open.value)}>
          {open.value ? 'Hide them' : 'Show them'}
        </Button>
      </li>
      {open.value && marks.map((mark) => <Row key={mark.id} mark={mark} />)}
    </ul>
  )
}

function Row({ mark: { id, says, on } }: { mark: Mark }) {
  const busy = useSignal(false)
  const act = async (wanted: boolean): Promise<void> => {
    busy.value = true
    try {
      await switchMark(id, wanted)
    } catch (error) {
      tell(`${id} stays ${on ? 'on' : 'off'}. ${faultText(error)}`)
    } finally {
      busy.value = false
    }
  }
  return (
    <li class="setting-row mark-row">
      <div>
        <strong class="mono">{id}</strong>
        <p>{says}</p>
      </div>
      <Switch name={id} on={on} disabled={busy.value} onChange={(wanted) => void act(wanted)} />
    </li>
  )
}
