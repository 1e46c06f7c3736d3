// A menu under its button, and the popover that it uses. Esc, Back or a click elsewhere closes it and returns the focus; Tab leaves it.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLayer } from '../layers.ts'
import { IconButton } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import './menu.css'

export type Choice = {
  readonly label: string
  readonly icon: IconName
  readonly danger?: boolean
  readonly act: () => void
}

type Props = {
  readonly name: string
  /** What it belongs to, where several menus have the same name. */
  readonly of?: string
  readonly icon?: IconName
  readonly choices: readonly Choice[]
}

export function Menu({ name, of, icon = 'more', choices }: Props) {
  const [open, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const close = (): void => {
    setOpen(false)
    opener.current?.focus()
  }
  return (
    <div class="menu">
      <IconButton
        icon={icon}
        name={name}
        of={of}
        popup="menu"
        expanded={open}
        buttonRef={opener}
        onClick={(event) => {
          event.preventDefault()
          event.stopPropagation()
          setOpen(!open)
        }}
      />
      {open && (
        <Popover onClose={close} onLeave={() => setOpen(false)} role="menu" name={name}>
          {choices.map(({ label, icon, danger, act }, at) => (
            <button
              key={label}
              type="button"
              role="menuitem"
              class={danger ? 'menu-item danger' : 'menu-item'}
              data-focus={at === 0 ? '' : undefined}
              onClick={() => {
                close()
                act()
              }}
            >
              <Icon name={icon} />
              {label}
            </button>
          ))}
        </Popover>
      )}
    </div>
  )
}

type PopoverProps = {
  readonly role: 'menu' | 'dialog'
  readonly name: string
  readonly onClose: () => void
  /** The focus moved elsewhere: close without taking it back. */
  readonly onLeave: () => void
  readonly children: ComponentChildren
}

/** Floats above the page. The first element with `data-focus` takes the focus; arrow keys move in a menu. */
export function Popover({ role, name, onClose, onLeave, children }: PopoverProps) {
  const box = useRef<HTMLDivElement>(null)
  useLayer(onClose)
  useLayoutEffect(() => {
    box.current?.querySelector<HTMLElement>('[data-focus]')?.focus()
    box.current?.scrollIntoView({ block: 'nearest' })
    const around = box.current?.parentElement
    const away = (event: PointerEvent): void => {
      if (!around?.contains(event.target as Node)) onClose()
    }
    const left = (event: FocusEvent): void => {
      if (event.relatedTarget && !around?.contains(event.relatedTarget as Node)) onLeave()
    }
    addEventListener('pointerdown', away)
    around?.addEventListener('focusout', left)
    return () => {
      removeEventListener('pointerdown', away)
      around?.removeEventListener('focusout', left)
    }
  }, [])
  return (
    <div
      class={`popover ${role}`}
      role={role}
      aria-label={name}
      ref={box}
      onKeyDown={(event) => {
        if (role === 'menu') moveInMenu(event, event.currentTarget)
      }}
    >
      {children}
    </div>
  )
}

/** Arrow keys go round the items of a menu, Home and End to the first and the last. */
export function moveInMenu(event: KeyboardEvent, menu: Element): void {
  const items = [...menu.querySelectorAll<HTMLElement>('[role^=menuitem]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
  if (next === undefined) return
  event.preventDefault()
  items.at(next % items.length)?.focus()
}
