// Tells of turns that end or wait while the page is in the background: in the tab's title, and by a notification of the
// system once that is allowed. Loaded when the page is first hidden.
import { effect } from '@preact/signals'
import { printable } from '#safety/printable.ts'
import { type BackgroundNews, type Look, newsSince } from '../lib/background-news.ts'
import { titleMark } from '../title.ts'
import { waiting } from './gates.ts'
import { sessionState } from './session.ts'
import { threadList } from './threads.ts'

const icon = '/icon-192.png'
const words: Readonly<Record<BackgroundNews['type'], string>> = {
  done: 'Finished',
  failed: 'Failed',
  waiting: 'Waiting for you',
}

/** Watches from now on. Call it once. */
export function startBackgroundNews(): void {
  let before: Look | undefined
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) titleMark.value = ''
  })
  effect(() => {
    if (sessionState.value.type !== 'in') before = undefined
    const threads = threadList.data.value?.threads
    const gates = waiting.value
    if (!threads || sessionState.value.type !== 'in') return
    const look = { threads, gates }
    const news = before ? newsSince(before, look) : []
    before = look
    if (!document.hidden) return
    // Requests are counted in the title anyway.
    const ended = news.find(({ type }) => type !== 'waiting')
    if (ended) titleMark.value = `${words[ended.type]} · `
    for (const each of news) void tell(each)
  })
}

/** Shows a notification, unless it is not allowed or the service itself notifies this browser. */
async function tell({ type, threadId, title, text }: BackgroundNews): Promise<void> {
  if (!('Notification' in globalThis) || !('serviceWorker' in navigator) || Notification.permission !== 'granted')
    return
  const registration = await navigator.serviceWorker.register('/service-worker.js')
  if (await registration.pushManager?.getSubscription()) return
  await navigator.serviceWorker.ready
  const path = `/threads/${threadId}`
  // As the service worker shows what is pushed: it opens the thread, and later news of a thread replaces earlier.
  const body = text === undefined ? words[type] : `${words[type]}: ${printable(text)}`
  await registration.showNotification(title, { body, tag: path, icon, badge: icon, data: { path, count: 1 } })
}
