// The tab's title and icon: the page, and how many gates wait for the reader.
import { effect, signal } from '@preact/signals'
import { links } from './lib/links.ts'
import { route, threadIdIn } from './router.ts'
import { waiting } from './store/gates.ts'
import { sessionState } from './store/session.ts'
import { threadList } from './store/threads.ts'

/** A word about what happened while the page was in the background. */
export const titleMark = signal('')

/** Keeps both up to date while somebody is signed in. */
export function showTitle(): void {
  effect(() => {
    if (sessionState.value.type !== 'in') return
    const { path } = route.value
    const id = threadIdIn(path)
    const thread = id === undefined ? undefined : threadList.data.value?.threads.find((each) => each.id === id)
    const page = links.find(({ to }) => to === `/${path.split('/')[1] ?? ''}`)
    const name = thread?.title ?? page?.name ?? ''
    const count = waiting.value.length
    document.title = `${titleMark.value}${count > 0 ? `${count} waiting · ` : ''}${name ? `${name} · ` : ''}Atrium`
    const icon = count > 0 ? '/icon-waiting.svg' : '/icon.svg'
    document.querySelector('link[rel=icon]')?.setAttribute('href', icon)
  })
}
