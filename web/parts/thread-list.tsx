// The threads in the sidebar: search, groups by day, rename and delete in place.
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { numberWords } from '#core/words.ts'
import type { Thread } from '#doors/web/wire/thread.ts'
import { lazy } from '../lazy.tsx'
import { doorOf } from '../lib/doors.ts'
import { isMac } from '../lib/shortcuts.ts'
import { dayGroup } from '../lib/words.ts'
import { route, threadIdIn } from '../router.ts'
import { now } from '../store/clock.ts'
import { markOf, type ThreadMark } from '../store/thread-marks.ts'
import {
  deleteThread,
  maxThreads,
  olderThreads,
  oneArchived,
  pinnedThreads,
  searchThreads,
  showArchive,
  showsArchive,
  shownThreads,
  showOlder,
  threadList,
  threadSearch,
} from '../store/threads.ts'
import { chosen } from '../store/chosen.ts'
import { Button } from './button.tsx'
import { focusSoon, useNextFocus } from './focus.ts'
import { Icon } from './icon.tsx'
import { Dot, Runs } from './mark.tsx'
import { Menu } from './menu.tsx'
import { RenameField } from './rename-field.tsx'
import { moveInRows } from './row-keys.ts'
import { Search } from './search.tsx'
import { shelfChoices } from './shelf-choices.ts'
import { When } from './states.tsx'
import './thread-list.css'

const FoundThreads = lazy(async () => (await import('./found-threads.tsx')).FoundThreads)
const ChoiceRow = lazy(async () => (await import('./chosen-threads.tsx')).ChoiceRow)
const ChosenThreads = lazy(async () => (await import('./chosen-threads.tsx')).ChosenThreads)

/** The thread whose title is being edited. */
const renaming = signal<string | undefined>(undefined)

export function ThreadList() {
  return (
    <nav aria-label="Threads" class="threads" onKeyDown={(event) => moveInRows(event, '.thread-row > a')}>
      <h2 class="threads-title">Threads</h2>
      <Search
        name="Search threads"
        value={threadSearch.value}
        onInput={(value) => void searchThreads(value)}
        keys={isMac ? '⌘ K' : 'Ctrl K'}
      />
      <div class="threads-scroll">
        <When of={threadList} what="The threads" rows={6}>
          {() => (
            <>
              <Group name="Pinned" threads={pinnedThreads.value} />
              <Groups threads={shownThreads.value} />
              {threadSearch.value.trim() !== '' && <FoundThreads />}
              <Older />
            </>
          )}
        </When>
        <Shelves />
      </div>
    </nav>
  )
}

function Groups({ threads }: { threads: readonly Thread[] }) {
  if (threads.length === 0 && pinnedThreads.value.length === 0) {
    if (threadSearch.value.trim() !== '') return null
    return <p class="threads-none">{showsArchive.value ? 'No archived threads' : 'No threads yet'}</p>
  }
  const groups = Map.groupBy(threads, ({ updated_at }) => dayGroup(updated_at, now.value))
  return (
    <>
      {[...groups].map(([day, rows]) => (
        <Group key={day} name={day} threads={rows} />
      ))}
    </>
  )
}

function Group({ name, threads }: { name: string; threads: readonly Thread[] }) {
  if (threads.length === 0) return null
  return (
    <section aria-label={name}>
      <h3 class="label threads-day">{name}</h3>
      <ul>
        {threads.map((thread) => (
          <li key={thread.id}>
            <Row thread={thread} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The buttons below the list: to the archive and back; while threads are chosen, what is done with them. */
function Shelves() {
  useEffect(() => void oneArchived.load(), [])
  if (chosen.value) return <ChosenThreads />
  if (threadSearch.value.trim() !== '' || !(showsArchive.value || oneArchived.data.value)) return null
  return <ShelfButton />
}

/** The way back from an empty archive goes with a press on it, or a moment later. */
function ShelfButton() {
  const button = useRef<HTMLButtonElement>(null)
  useNextFocus(button, '.threads input')
  return (
    <button type="button" class="side-row" ref={button} onClick={() => void showArchive(!showsArchive.peek())}>
      <Icon name="archive" />
      {showsArchive.value ? 'Back to threads' : 'Archived threads'}
    </button>
  )
}

/** The button for older threads, or the note where the list ends. */
function Older() {
  if (olderThreads.value === 'too old') {
    return <p class="threads-none">Only the {numberWords(maxThreads)} threads last used are listed.</p>
  }
  if (olderThreads.value === undefined) return null
  return (
    <Button kind="quiet" busy={threadList.loading.value} onClick={() => void showOlder()}>
      Older threads
    </Button>
  )
}

function Row({ thread }: { thread: Thread }) {
  const { id, title, door } = thread
  if (renaming.value === id) {
    const end = (): void => {
      renaming.value = undefined
      focusSoon(`.thread-row a[href="/threads/${id}"]`)
    }
    return <RenameField id={id} title={title} look="thread-rename" onEnd={end} />
  }
  if (chosen.value) return <ChoiceRow thread={thread} />
  const mark = markOf(thread)
  return (
    <div class="thread-row">
      <a
        href={`/threads/${id}`}
        class="side-row"
        title={title}
        aria-label={title || 'Untitled'}
        aria-describedby={mark && `mark-${id}`}
        aria-current={threadIdIn(route.value.path) === id ? 'page' : undefined}
      >
        <Icon name={doorOf(door).icon} />
        <span class="one-line" dir="auto">
          {title || 'Untitled'}
        </span>
        {mark && <Sign mark={mark} id={`mark-${id}`} />}
      </a>
      <Menu
        name="More"
        of={title || 'Untitled'}
        choices={[
          { label: 'Rename', icon: 'pencil', act: () => (renaming.value = id) },
          ...shelfChoices(thread),
          { label: 'Select several', icon: 'check', act: () => (chosen.value = new Set([id])) },
          { label: 'Delete', icon: 'trash', danger: true, act: () => remove(thread) },
        ]}
      />
    </div>
  )
}

const words: Readonly<Record<ThreadMark, string>> = {
  waiting: 'waiting for you',
  running: 'running',
  failed: 'failed',
  unread: 'unread',
}

/** The mark and its word, which describes the link to the thread (`aria-describedby`). */
function Sign({ mark, id }: { mark: ThreadMark; id: string }) {
  return (
    <span class="side-mark thread-mark">
      {mark === 'waiting' && <Dot kind="sun" />}
      {mark === 'running' && <Runs />}
      {mark === 'failed' && (
        <span class="clay-sign">
          <Icon name="triangle" />
        </span>
      )}
      {mark === 'unread' && <Dot kind="verdigris" />}
      <span id={id} class="unseen">
        {words[mark]}
      </span>
    </span>
  )
}

/** Moves the focus to Undo, since the row is gone. */
function remove(thread: Thread): void {
  deleteThread(thread)
  focusSoon('.notice button')
}
