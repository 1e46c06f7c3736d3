// One field of a server's form: a box, a list, or ticks, with its label, a hint and a fault.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Field } from '#doors/web/wire/gate.ts'
import { printable } from '#safety/printable.ts'
import { type Entry, hintOf } from '../lib/form-values.ts'
import { FieldFault } from './field.tsx'
import { Icon } from './icon.tsx'

type Props = {
  readonly field: Field
  readonly entry: Entry
  readonly fault: string | undefined
  readonly onEnter: (entry: Entry) => void
}

export function InputField(props: Props) {
  const { field, fault } = props
  const id = useId()
  const words = printable(hintOf(field), { lines: true })
  const below = (
    <>
      {words !== '' && (
        <p id={`${id}-hint`} class="label">
          {words}
        </p>
      )}
      {fault !== undefined && <FieldFault id={`${id}-fault`} words={fault} />}
    </>
  )
  const facts = {
    'aria-invalid': fault !== undefined,
    'aria-required': field.required === true,
    'aria-describedby':
      [words !== '' && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ') || undefined,
  }
  if (field.type === 'choices') return <Choices {...props} facts={facts} below={below} />
  if (field.type === 'boolean') return <Tick {...props} facts={facts} below={below} />
  return (
    <div class="field">
      <label for={id}>{labelOf(field)}</label>
      <Box id={id} {...props} facts={facts} />
      {below}
    </div>
  )
}

type Facts = {
  readonly 'aria-invalid': boolean
  readonly 'aria-required': boolean
  readonly 'aria-describedby': string | undefined
}

function Box({ id, field, entry, onEnter, facts }: Props & { readonly id: string; readonly facts: Facts }) {
  const value = typeof entry === 'string' ? entry : ''
  if (field.type === 'choice') {
    return (
      <div class="select">
        <select id={id} class="input" value={value} {...facts} onChange={(event) => onEnter(event.currentTarget.value)}>
          {(value === '' || !field.required) && <option value="">{field.required ? 'Choose…' : 'None'}</option>}
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {printable(option.title ?? option.value)}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </div>
    )
  }
  return (
    <input
      id={id}
      class="input"
      type="text"
      inputMode={keysFor(field)}
      autocomplete="off"
      dir="auto"
      value={value}
      {...facts}
      onInput={(event) => onEnter(event.currentTarget.value)}
    />
  )
}

/** The keyboard of a phone. Numbers may be negative, which the numeric one cannot type. */
function keysFor(field: Field): 'email' | 'url' | 'text' {
  if (field.type !== 'text') return 'text'
  return field.format === 'email' ? 'email' : field.format === 'uri' ? 'url' : 'text'
}

type TickProps = Props & { readonly facts: Facts; readonly below: ComponentChildren }

function Tick({ field, entry, onEnter, facts, below }: TickProps) {
  return (
    <div class="field">
      <label class="radio">
        <input
          type="checkbox"
          class="tick"
          checked={entry === true}
          {...facts}
          onChange={(event) => onEnter(event.currentTarget.checked)}
        />
        <span>{labelOf(field)}</span>
      </label>
      {below}
    </div>
  )
}

function Choices({ field, entry, onEnter, facts, below }: TickProps) {
  if (field.type !== 'choices') return null
  const chosen = Array.isArray(entry) ? (entry as readonly string[]) : []
  const { 'aria-required': _, ...told } = facts
  return (
    // Focusable by script: the form moves the focus to the first wrong field.
    <fieldset class="input-choices" tabIndex={-1} {...told}>
      <legend>{labelOf(field)}</legend>
      {field.options.map(({ value, title }) => (
        <label key={value} class="radio">
          <input
            type="checkbox"
            class="tick"
            checked={chosen.includes(value)}
            onChange={(event) =>
              onEnter(event.currentTarget.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
          <span>{printable(title ?? value)}</span>
        </label>
      ))}
      {below}
    </fieldset>
  )
}

/** A tick always has a value: it is never called optional. */
function labelOf({ title, name, required, type }: Field): string {
  return `${printable(title ?? name)}${required || type === 'boolean' ? '' : ' (optional)'}`
}
