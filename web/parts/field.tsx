// Form fields: text, area, switch, select, segments.
import type { Signal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import './field.css'
import { pressable } from './button.tsx'
import { Icon } from './icon.tsx'

type FieldProps = {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'password' | 'number'
  readonly fault?: string | undefined
  readonly hint?: string | undefined
  readonly placeholder?: string
  readonly mono?: boolean
  /** Takes the focus when it appears. Only for fields that the reader has just opened. */
  readonly autoFocus?: boolean
  /** Hides the label from the eye: the page shows it elsewhere. */
  readonly unlabelled?: boolean
  readonly autoComplete?: string
  readonly maxLength?: number
  /** Values to choose from; others can be typed too. */
  readonly options?: readonly string[]
}

/** A text input with a label, and a hint or fault below. */
export function Field({ label, value, onInput, fault, hint, mono = false, unlabelled = false, ...rest }: FieldProps) {
  const id = useId()
  useFocus(id, rest.autoFocus)
  return (
    <div class="field">
      <label for={id} class={unlabelled ? 'unseen' : undefined}>
        {label}
      </label>
      <input
        id={id}
        class={mono ? 'input mono' : 'input'}
        // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the types of JSX know a role for each kind
        type={(rest.type ?? 'text') as 'text'}
        value={value}
        placeholder={rest.placeholder}
        autocomplete={rest.autoComplete ?? 'off'}
        maxLength={rest.maxLength}
        list={rest.options?.length ? `${id}-options` : undefined}
        spellcheck={!mono}
        aria-invalid={fault !== undefined}
        aria-describedby={fault !== undefined || hint ? `${id}-words` : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {rest.options?.length ? (
        <datalist id={`${id}-options`}>
          {rest.options.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      ) : null}
      {fault !== undefined ? (
        <FieldFault id={`${id}-words`} words={fault} />
      ) : (
        hint && (
          <p id={`${id}-words`} class="label">
            {hint}
          </p>
        )
      )}
    </div>
  )
}

type TextFieldProps = Omit<FieldProps, 'value' | 'onInput'> & { readonly text: Signal<string> }

/** A field for the text of a signal. */
export function TextField({ text, ...rest }: TextFieldProps) {
  return <Field {...rest} value={text.value} onInput={(value) => (text.value = value)} />
}

type AreaProps = {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly fault?: string | undefined
  readonly autoFocus?: boolean
}

/** A text area with a label, and a fault below. */
export function Area({ label, value, onInput, fault, autoFocus = false }: AreaProps) {
  const id = useId()
  useFocus(id, autoFocus)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="input area mono"
        value={value}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-words`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {fault !== undefined && <FieldFault id={`${id}-words`} words={fault} />}
    </div>
  )
}

/** The `autofocus` attribute works once per page load; this works whenever a field appears. */
function useFocus(id: string, focus = false): void {
  useLayoutEffect(() => {
    if (focus) document.getElementById(id)?.focus()
  }, [])
}

/** A fault below a field, or of a form as a whole. */
export function FieldFault({ id, words }: { id?: string; words: string }) {
  return (
    <p id={id} class="field-fault" role="alert">
      <Icon name="triangle" />
      {words}
    </p>
  )
}

type SwitchProps = {
  readonly name: string
  readonly on: boolean
  /** Its change is on its way: clicks are ignored. */
  readonly busy?: boolean
  readonly onChange: (on: boolean) => void
}

export function Switch({ name, on, busy = false, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={on}
      aria-label={name}
      {...pressable({ busy, onClick: () => onChange(!on) })}
    >
      <span class="switch-track">
        <span class="switch-knob" />
      </span>
    </button>
  )
}

type SelectProps<T extends string> = {
  readonly name: string
  /** Prefix of each option, "Door: all"; the label is then hidden from the eye. */
  readonly before?: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly onChange: (value: T) => void
}

/** A drop-down list. */
export function Select<T extends string>({ name, before, value, options, onChange }: SelectProps<T>) {
  const id = useId()
  return (
    <div class={before ? 'select small' : 'field select'}>
      <label for={id} class={before ? 'unseen' : undefined}>
        {name}
      </label>
      <select id={id} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {before ? `${before}: ${option.label}` : option.label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </div>
  )
}

type ChoiceProps<T extends string> = {
  readonly name: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string; readonly count?: number }[]
  readonly onChange: (value: T) => void
}

/** A row of choices. Where they do not fit, the chosen one is scrolled into the middle. */
export function Segments<T extends string>({ name, value, options, onChange }: ChoiceProps<T>) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const chosen = row.current?.querySelector<HTMLElement>('[aria-pressed="true"]')
    if (row.current && chosen)
      row.current.scrollLeft = chosen.offsetLeft - (row.current.clientWidth - chosen.offsetWidth) / 2
  }, [value])
  return (
    <div class="segments" role="group" aria-label={name} ref={row}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
          {option.count !== undefined && option.count > 0 && (
            <>
              {' '}
              <span class="segment-count">{option.count}</span>
            </>
          )}
        </button>
      ))}
    </div>
  )
}
