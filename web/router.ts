// The addresses of the app: where it stands, and the way to another.
import { signal } from '@preact/signals'

export type Route = { readonly path: string; readonly query: URLSearchParams }

/** Where the app stands. */
export const route = signal<Route>(read())

/** Goes to an address of the app; Back returns. */
export function go(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else if (to !== location.pathname + location.search) history.pushState(null, '', to)
  route.value = read()
}

/** Makes plain links of the app change the page instead of loading it anew. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    route.value = read()
  })
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

/** The id in `/threads/{id}`, undefined elsewhere. */
export function threadIdIn(path: string): string | undefined {
  return /^\/threads\/([^/]+)$/.exec(path)?.[1]
}

function read(): Route {
  return { path: location.pathname, query: new URLSearchParams(location.search) }
}
