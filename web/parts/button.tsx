// Buttons: one primary per view, plain ones, quiet ones, clay for what takes away.
import type { ComponentChildren, Ref } from 'preact'
import './button.css'
import { Icon, type IconName } from './icon.tsx'
import { Spinner } from './mark.tsx'

type Props = {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'clay' | 'sun'
  readonly size?: 'usual' | 'small' | 'large'
  readonly icon?: IconName
  /** Something runs on its behalf: same label, same width, and no second click. */
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly onClick?: (event: MouseEvent) => void
  readonly type?: 'button' | 'submit'
  readonly expanded?: boolean | undefined
  readonly popup?: 'menu' | 'dialog'
  readonly title?: string
  readonly name?: string
  readonly buttonRef?: Ref<HTMLButtonElement>
  readonly children?: ComponentChildren
}

export function Button({ kind = 'plain', size = 'usual', icon, busy = false, children, ...rest }: Props) {
  return (
    <button
      class={`button ${kind} ${size}`}
      type={rest.type ?? 'button'}
      disabled={rest.disabled ?? false}
      aria-disabled={busy}
      aria-busy={busy}
      aria-expanded={rest.expanded}
      aria-haspopup={rest.popup}
      aria-label={rest.name}
      title={rest.title}
      ref={rest.buttonRef ?? null}
      onClick={(event) => {
        if (!busy) rest.onClick?.(event)
      }}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** Words of a label that its name does not have: the name is what people, screen readers and tests share. */
export function Silent({ children }: { children: string }) {
  return <span aria-hidden="true">{children}</span>
}

type IconProps = {
  readonly icon: IconName
  /** What it does: its name for those who cannot see it, and its tooltip. */
  readonly name: string
  readonly onClick?: (event: MouseEvent) => void
  readonly expanded?: boolean
  readonly popup?: 'menu' | 'dialog'
  readonly disabled?: boolean
  readonly buttonRef?: Ref<HTMLButtonElement>
}

/** A square button with an icon alone. */
export function IconButton({ icon, name, expanded, popup, disabled = false, onClick, buttonRef }: IconProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={name}
      title={name}
      aria-expanded={expanded}
      aria-haspopup={popup}
      disabled={disabled}
      ref={buttonRef ?? null}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}
