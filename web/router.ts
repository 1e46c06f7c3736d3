// Client-side routing: the current address as a signal, and navigation.
import { signal } from '@preact/signals'
import { closeTopmost } from './layers.ts'

export type Route = { readonly path: string; readonly query: URLSearchParams }

/** The current address. */
export const route = signal<Route>(read())

/** Asks before the page is left; true keeps it, and `leave` goes on later. Set by a page with unsaved words. */
export const leaving: { ask?: ((leave: () => void) => boolean) | undefined } = {}

/** The address as it was written: a query that was read is written in another way. */
let shown = address()
/** The number of the history entry whose page is shown; undefined where the browser does not tell. */
let shownEntry = entryIndex()

/** Navigates to an address of the app. Back returns, unless `replace` is set. */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else if (to !== address()) {
    if (leaving.ask?.(() => go(to))) return
    history.pushState(null, '', to)
  }
  show()
}

/** Handles clicks on links of the app without reloading the page. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    const to = address()
    const steps = (shownEntry ?? 0) - (entryIndex() ?? 0)
    const isKept = (steps > 0 && closeTopmost()) || (to !== shown && leaving.ask?.(() => leaveTo(to, -steps)))
    if (!isKept) return show()
    // The browser has gone already: it comes back to the page that is kept.
    if (steps === 0) history.pushState(null, '', shown)
    else history.go(steps)
  })
  // A notification was clicked. Pages without HTTPS have no service worker.
  if ('serviceWorker' in navigator) {
    navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ open?: unknown } | null>) => {
      if (typeof data?.open === 'string') go(data.open)
    })
  }
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest?.('a')
    if (!link || link.target !== '' || link.origin !== location.origin || link.hasAttribute('download')) return
    if (link.hash !== '' || link.pathname.startsWith('/api/')) return
    event.preventDefault()
    go(link.pathname + link.search)
  })
}

/** The id in `/threads/{id}`; undefined for other paths. */
export function threadIdIn(path: string): string | undefined {
  return /^\/threads\/([^/]+)$/.exec(path)?.[1]
}

/** Goes where the browser had gone before it was asked; `steps` is 0 where it does not tell how far that was. */
function leaveTo(to: string, steps: number): void {
  if (steps === 0) go(to)
  else if (entryIndex() === shownEntry) history.go(steps)
  // The browser is not back yet: two ways at once would lead nowhere.
  else addEventListener('popstate', () => history.go(steps), { once: true })
}

function show(): void {
  route.value = read()
  shown = address()
  shownEntry = entryIndex()
}

function entryIndex(): number | undefined {
  return (globalThis as { navigation?: Navigation }).navigation?.currentEntry?.index
}

function address(): string {
  return location.pathname + location.search
}

function read(): Route {
  return { path: location.pathname, query: new URLSearchParams(location.search) }
}
