// The palette: threads, pages and actions by their names. Arrows choose, Enter opens, Esc closes.
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { ThreadPage } from '#doors/web/wire/thread.ts'
import { request } from '../api/client.ts'
import { doorOf } from '../lib/doors.ts'
import { plainText } from '../lib/found.ts'
import { links } from '../lib/links.ts'
import { type PaletteEntry, paletteMatches } from '../lib/palette.ts'
import { go } from '../router.ts'
import { runningTurn } from '../store/hub.ts'
import { stopJob } from '../store/jobs.ts'
import { fold, folded, setTheme } from '../store/shell.ts'
import { importThread } from '../store/thread-import.ts'
import { threadList } from '../store/threads.ts'
import { Found } from './found.tsx'
import { Icon, type IconName } from './icon.tsx'
import './palette.css'
import { searchThreads } from './search-threads.ts'

type Entry = PaletteEntry & {
  readonly icon: IconName
  /** The part of a message that has the typed words. */
  readonly excerpt?: string
  readonly run: () => void
}

/** Words are looked up once nothing was typed for so long. */
const typingMs = 150
const maxAsked = 12

type Props = { readonly onClose: () => void; readonly onShortcuts: () => void }

export function Palette({ onClose, onShortcuts }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const typed = useSignal('')
  const at = useSignal(0)
  const found = useFound(typed.value)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const entries = paletteMatches([...actions(onShortcuts), ...pages(), ...threads()], typed.value, found)
  const chosen = Math.min(at.value, entries.length - 1)

  const run = (entry: Entry | undefined): void => {
    if (!entry) return
    dialog.current?.close()
    entry.run()
  }
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) at.value = (chosen + step + entries.length) % Math.max(1, entries.length)
    else if (event.key === 'Enter' && !event.isComposing) run(entries[chosen])
    else return
    event.preventDefault()
    requestAnimationFrame(() =>
      dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    )
  }
  return (
    <dialog
      class="palette"
      ref={dialog}
      aria-label="Go to"
      onClose={onClose}
      onClick={(event) => {
        // The dialog fills its box, so this is the backdrop.
        if (event.target === event.currentTarget) dialog.current?.close()
      }}
    >
      <div class="palette-inside">
        <div class="search">
          <Icon name="search" />
          <input
            class="input"
            role="combobox"
            aria-label="Search threads, pages and actions"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={entries[chosen] && `palette-${chosen}`}
            aria-autocomplete="list"
            placeholder="Search threads, pages and actions"
            autocomplete="off"
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value
              at.value = 0
            }}
            onKeyDown={press}
          />
        </div>
        <div id="palette-list" role="listbox" aria-label="Found" class="palette-list">
          {entries.map((entry, index) => (
            <div key={entry.id}>
              {entry.group !== entries[index - 1]?.group && (
                <div class="label palette-group" role="presentation">
                  {entry.group}
                </div>
              )}
              <div
                id={`palette-${index}`}
                class="menu-item"
                role="option"
                tabIndex={-1}
                aria-selected={index === chosen}
                onClick={() => run(entry)}
                onPointerMove={() => (at.value = index)}
              >
                <Icon name={entry.icon} />
                <span class="palette-words">
                  <span class="one-line" dir="auto">
                    {entry.label}
                  </span>
                  {entry.excerpt !== undefined && (
                    <span class="one-line label" dir="auto">
                      <Found text={plainText(entry.excerpt)} query={typed.value} />
                    </span>
                  )}
                </span>
              </div>
            </div>
          ))}
        </div>
        <p class="label palette-none" role="status">
          {entries.length === 0 ? `Nothing is called “${typed.value.trim()}”` : ''}
        </p>
      </div>
    </dialog>
  )
}

/** The threads whose messages have the typed words. */
function useFound(typed: string): readonly Entry[] {
  const found = useSignal<{ readonly words: string; readonly entries: readonly Entry[] }>({ words: '', entries: [] })
  const words = typed.trim()
  useEffect(() => {
    if (words === '') return undefined
    const timer = setTimeout(() => {
      const fields = new URLSearchParams({ q: words, limit: String(maxAsked) })
      // The titles that are known already stand without it.
      request<ThreadPage>('GET', `/api/threads?${fields}`).then(
        (page) => (found.value = { words, entries: page.threads.map(threadEntry) }),
        () => {},
      )
    }, typingMs)
    return () => clearTimeout(timer)
  }, [words])
  return found.value.words === words ? found.value.entries : []
}

function threadEntry({ id, title, door, match }: ThreadPage['threads'][number]): Entry {
  const label = title || 'Untitled'
  const run = (): void => go(`/threads/${id}`)
  return { id, group: 'Threads', label, icon: doorOf(door).icon, run, ...(match && { excerpt: match.snippet }) }
}

function threads(): Entry[] {
  return (threadList.data.value?.threads ?? []).map(threadEntry)
}

function pages(): Entry[] {
  return links.slice(1).map(({ to, name, icon }) => ({ id: to, group: 'Pages', label: name, icon, run: () => go(to) }))
}

function actions(onShortcuts: () => void): Entry[] {
  const turn = runningTurn.value
  const act = (label: string, icon: IconName, run: () => void): Entry => ({
    id: label,
    group: 'Actions',
    label,
    icon,
    run,
  })
  return [
    act('New thread', 'plus', () => go('/')),
    ...(turn === undefined ? [] : [act('Stop the turn', 'stop', () => void stopJob(turn))]),
    act('Search threads', 'search', searchThreads),
    act(folded.value ? 'Show sidebar' : 'Hide sidebar', 'panel', () => fold(!folded.peek())),
    act('Import a thread…', 'download', () => void importThread()),
    act('Keyboard shortcuts', 'list', onShortcuts),
    act('Light theme', 'sliders', () => setTheme('light')),
    act('Dark theme', 'sliders', () => setTheme('dark')),
    act('Theme of the system', 'sliders', () => setTheme('system')),
  ]
}
