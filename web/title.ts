// The tab's title and icon: the page, and how many gates wait for the reader.
import { effect, signal } from '@preact/signals'
import { route, threadIdIn } from './router.ts'
import { waiting } from './store/gates.ts'
import { sessionState } from './store/session.ts'
import { threadList } from './store/threads.ts'

const names: Readonly<Record<string, string>> = {
  '/': 'New thread',
  '/waiting': 'Waiting for you',
  '/jobs': 'Jobs',
  '/missions': 'Missions',
  '/memory': 'Memory',
  '/tools': 'Tools',
  '/activity': 'Activity',
  '/settings': 'Settings',
}

/** A word about what happened while the page was in the background. */
export const titleMark = signal('')

/** Keeps both up to date while somebody is signed in. */
export function showTitle(): void {
  effect(() => {
    if (sessionState.value.type !== 'in') return
    const { path } = route.value
    const id = threadIdIn(path)
    const thread = id === undefined ? undefined : threadList.data.value?.threads.find((each) => each.id === id)
    const name = thread?.title ?? names[`/${path.split('/')[1] ?? ''}`] ?? ''
    const count = waiting.value.length
    document.title = `${titleMark.value}${count > 0 ? `${count} waiting · ` : ''}${name ? `${name} · ` : ''}Atrium`
    const icon = count > 0 ? '/icon-waiting.svg' : '/icon.svg'
    document.querySelector('link[rel=icon]')?.setAttribute('href', icon)
  })
}
