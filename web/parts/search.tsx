// The search box. Apart from the other fields, which the first page does not need.
import type { Ref } from 'preact'
import { IconButton } from './button.tsx'
import './field.css'
import { Icon } from './icon.tsx'

type SearchProps = {
  readonly name: string
  readonly value: string
  readonly onInput: (value: string) => void
  /** The keys that lead to it. */
  readonly keys?: string
  readonly inputRef?: Ref<HTMLInputElement>
}

/** A search box. Esc and the cross clear it. */
export function Search({ name, value, onInput, keys, inputRef }: SearchProps) {
  return (
    <div class="search">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        role="searchbox"
        aria-label={name}
        placeholder={name}
        value={value}
        ref={inputRef ?? null}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || value === '') return
          event.preventDefault()
          onInput('')
        }}
      />
      {value !== '' ? (
        <IconButton icon="cross" name="Clear search" onClick={() => onInput('')} />
      ) : (
        keys && <kbd aria-hidden="true">{keys}</kbd>
      )}
    </div>
  )
}
