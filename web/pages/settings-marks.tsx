// Marks: the rules that flag text from outside. They block nothing by themselves.
import { useSignal } from '@preact/signals'
import { countWords } from '#core/words.ts'
import type { Mark } from '#doors/web/wire/settings.ts'
import { ActSwitch } from '../parts/act-switch.tsx'
import { Button } from '../parts/button.tsx'
import { Section } from '../parts/section.tsx'
import { When } from '../parts/states.tsx'
import { settings, switchMark } from '../store/settings.ts'

export function Marks() {
  return (
    <Section
      title="Marks"
      at="/settings/marks"
      lead="Flags text from outside that looks like an order to the agent. The model sees the mark, and the receipt notes it."
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
    <ul class="card" aria-label="Marks">
      <li class="setting-row">
        <strong>
          {off === 0 ? `All ${marks.length} are on` : `${countWords(off, 'mark')} of ${marks.length} off`}
        </strong>
        <Button expanded={open.value} onClick={() => (open.value = !open.value)}>
          {open.value ? 'Hide them' : 'Show them'}
        </Button>
      </li>
      {open.value && marks.map((mark) => <Row key={mark.id} mark={mark} />)}
    </ul>
  )
}

function Row({ mark: { id, says, on } }: { mark: Mark }) {
  const failed = `${id} stays ${on ? 'on' : 'off'}.`
  return (
    <li class="setting-row mark-row">
      <div>
        <strong class="mono">{id}</strong>
        <p>{says}</p>
      </div>
      <ActSwitch name={id} on={on} act={(next) => switchMark(id, next)} failed={failed} />
    </li>
  )
}
