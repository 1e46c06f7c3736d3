// Entry point of the browser app: shows the sign-in page, or the page that the address names.
import { effect, untracked } from '@preact/signals'
import { type ComponentType, render } from 'preact'
import { guardDoubleClicks } from './double-click.ts'
import { hasLayer } from './layers.ts'
import { lazy } from './lazy.tsx'
import { type Place, shortcutOf } from './lib/shortcuts.ts'
import { isLong } from './lib/kept-turns.ts'
import { Chat } from './pages/chat.tsx'
import { Away } from './parts/away.tsx'
import { Mark } from './parts/icon.tsx'
import { searchThreads } from './parts/search-threads.ts'
import { Shell } from './parts/shell.tsx'
import { Empty } from './parts/states.tsx'
import { TopBar } from './parts/top-bar.tsx'
import { followLinks, go, route } from './router.ts'
import { startClock } from './store/clock.ts'
import { gates } from './store/gates.ts'
import { openConversation, startHub } from './store/hub.ts'
import { setStorageUser } from './store/local-storage.ts'
import { endNotice, notify } from './store/notices.ts'
import { hasUnstored, restoreOutbox } from './store/outbox.ts'
import { watchService } from './store/service.ts'
import { findSession, sessionState, takeReturnPath } from './store/session.ts'
import { applyTheme } from './store/shell.ts'
import { restoreSeen } from './store/thread-marks.ts'
import { threadList } from './store/threads.ts'
import { showTitle } from './title.ts'
import './style/tokens.css'
import './style/base.css'

const SignIn = lazy(async () => (await import('./pages/sign-in.tsx')).SignIn)
/** Until a page is there, its bar opens the menu. */
const under = (title: string) => ({ above: () => <TopBar title={title} phoneOnly /> })
/** Pages by address. Each is a chunk of its own, loaded at the first visit. */
const pages: readonly { readonly at: RegExp; readonly page: ComponentType }[] = [
  {
    at: /^\/waiting$/,
    page: lazy(async () => (await import('./pages/waiting.tsx')).Waiting, under('Waiting for you')),
  },
  { at: /^\/jobs$/, page: lazy(async () => (await import('./pages/jobs.tsx')).Jobs, under('Jobs')) },
  {
    at: /^\/missions(\/|$)/,
    page: lazy(async () => (await import('./pages/missions.tsx')).Missions, under('Missions')),
  },
  { at: /^\/memory(\/|$)/, page: lazy(async () => (await import('./pages/memory.tsx')).Memory, under('Memory')) },
  { at: /^\/tools$/, page: lazy(async () => (await import('./pages/tools.tsx')).Tools, under('Tools')) },
  { at: /^\/activity$/, page: lazy(async () => (await import('./pages/activity.tsx')).Activity, under('Activity')) },
  {
    at: /^\/settings(\/|$)/,
    page: lazy(async () => (await import('./pages/settings.tsx')).Settings, under('Settings')),
  },
]

function App() {
  const who = sessionState.value
  if (who.type === 'unknown') return <Opening />
  if (who.type === 'away') return <Away />
  if (who.type === 'out') return <SignIn ended={who.ended} />
  const { path } = route.value
  const Found = path === '/' || path.startsWith('/threads/') ? Chat : pages.find(({ at }) => at.test(path))?.page
  return (
    <Shell>
      {Found ? (
        <Found />
      ) : (
        <>
          <TopBar title="No such page" heading />
          <Empty icon="search" title="There is no such page">
            The address may be old. The sidebar lists every page.
          </Empty>
        </>
      )}
    </Shell>
  )
}

/** Where a key was pressed. */
function placeOf(target: EventTarget | null): Place {
  const within = (selector: string): boolean => target instanceof Element && target.closest(selector) !== null
  const thread = openConversation.peek()
  return {
    writes: within('input, textarea, select, [contenteditable]'),
    searches: within('dialog, .threads .search'),
    // A second Ctrl+F is the browser's, and so is one in a dialog, which covers the thread.
    finds:
      thread !== undefined && isLong(thread.turns.peek().length, thread.hasEarlier.peek()) && !within('.find, dialog'),
    closes: hasLayer() || within('dialog, input, select, textarea:not(.composer-text), aside'),
  }
}

/** Shown until the gateway has answered who is signed in. */
function Opening() {
  return (
    <div class="opening">
      <Mark size={34} />
    </div>
  )
}

applyTheme()
guardDoubleClicks()
followLinks()
startClock()
showTitle()
// Everything else that the keys open is loaded with the first of them.
addEventListener('keydown', (event) => {
  const shortcut = shortcutOf(event, placeOf(event.target))
  if (!shortcut) return
  if (shortcut !== 'stop') event.preventDefault()
  if (shortcut === 'search') {
    if (sessionState.peek().type === 'in') searchThreads()
    return
  }
  import('./keyboard.tsx').then(
    ({ act }) => act(shortcut),
    () => notify('This could not be loaded. Load the page again.'),
  )
})
// News of turns that end is shown once the page is hidden.
document.addEventListener(
  'visibilitychange',
  () => void import('./store/background-news.ts').then(({ startBackgroundNews }) => startBackgroundNews()),
  { once: true },
)
// The browser asks first whether to leave.
addEventListener('beforeunload', (event) => {
  if (hasUnstored()) event.preventDefault()
})
// A closed page offers no undo: run what the notice put off.
addEventListener('pagehide', endNotice)
// Starts at sign-in, stops at sign-out.
effect(() => {
  const who = sessionState.value
  if (who.type !== 'in') return undefined
  return untracked(() => {
    setStorageUser(who.session.user_id)
    restoreOutbox()
    restoreSeen()
    const back = takeReturnPath()
    if (route.peek().path === '/login') go('/', { replace: true })
    else if (back !== undefined && route.peek().path === '/') go(back, { replace: true })
    void threadList.load()
    void gates.load()
    const stops = [watchService(), startHub()]
    return () => {
      for (const stop of stops) stop()
    }
  })
})
const root = document.querySelector('#app')
if (root) render(<App />, root)
void findSession()
// The app works without them.
import('./places.ts').catch(() => {})
import('./near-focus.ts').catch(() => {})
