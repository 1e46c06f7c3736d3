// The dialog that lists the keys of the page.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isMac } from '../lib/shortcuts.ts'
import { Button } from './button.tsx'
import './confirm.css'
import './shortcuts.css'

const mod = isMac ? '⌘' : 'Ctrl'

const groups: readonly { readonly title: string; readonly keys: readonly (readonly [keys: string, does: string])[] }[] =
  [
    {
      title: 'Everywhere',
      keys: [
        [`${mod} K`, 'Search threads; twice: go to a thread, a page or an action'],
        [`${mod} F`, 'Find in a long thread; twice: the search of the browser'],
        [`? or ${mod} /`, 'Show these keys'],
        ['Esc', 'Close what is open, or stop the turn'],
        ['Tab', 'Next element'],
      ],
    },
    {
      title: 'Writing',
      keys: [
        ['Enter', 'Send'],
        ['Shift Enter', 'New line'],
        ['/', 'Skills, at the start of a message'],
      ],
    },
    {
      title: 'Lists and menus',
      keys: [
        ['↑ ↓', 'Choose'],
        ['Home End', 'First, last'],
        ['Enter', 'Open'],
        ['Esc', 'Close'],
      ],
    },
  ]

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const box = dialog.current
    box?.showModal()
    // The focus went to its only button, at the end of the list.
    box?.focus()
    if (box) box.scrollTop = 0
  }, [])
  return (
    <dialog class="confirm shortcuts" tabIndex={-1} ref={dialog} aria-labelledby="shortcuts-title" onClose={onClose}>
      <h2 id="shortcuts-title">Keyboard shortcuts</h2>
      {groups.map(({ title, keys }) => (
        <section key={title} aria-label={title}>
          <h3 class="label">{title}</h3>
          <dl>
            {keys.map(([key, does]) => (
              <div key={key} class="shortcut">
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <div class="confirm-buttons">
        <Button onClick={() => dialog.current?.close()}>Close</Button>
      </div>
    </dialog>
  )
}
