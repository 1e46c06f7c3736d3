// The list of threads in the sidebar: search, paging, rename, delete.
import { computed, signal } from '@preact/signals'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { Thread, ThreadPage } from '#doors/web/wire/thread.ts'
import { request, faultText } from '../api/client.ts'
import { go, route, threadIdIn } from '../router.ts'
import { loaded } from './loaded.ts'
import { notify } from './notices.ts'

/** How many threads the list shows at first, and how many more with each step back. */
const pageSize = 100
/** The gateway's limit for one page. */
const maxPerRequest = 200
/** Neither the list nor a search goes further back. */
export const maxThreads = 2_000

/** The text of the search box. */
export const threadSearch = signal('')

/** At most this many threads are shown. */
const listSize = signal(pageSize)

const words = computed(() => threadSearch.value.toLowerCase().split(/\s+/).filter(Boolean))

/** The threads, last used first: `listSize` of them, or `maxThreads` during a search. */
export const threadList = loaded(() => readThreads(words.peek().length > 0 ? maxThreads : listSize.peek()))

/** Deleted threads whose deletion can still be undone. */
export const deletedThreads = signal<ReadonlySet<string>>(new Set())

/** The threads to show, filtered. */
export const shownThreads = computed(() => {
  const found = (threadList.data.value?.threads ?? []).filter(({ id, title }) => {
    const text = title.toLowerCase()
    return !deletedThreads.value.has(id) && words.value.every((word) => text.includes(word))
  })
  return found.slice(0, listSize.value)
})

/** Whether there are older threads: more to show, or only ones past `maxThreads`. */
export const olderThreads = computed<'more' | 'too old' | undefined>(() => {
  const { threads = [], next_cursor = null } = threadList.data.value ?? {}
  if (shownThreads.value.length === listSize.value && listSize.value < maxThreads) {
    if (next_cursor !== null || threads.length > listSize.value) return 'more'
  }
  return next_cursor !== null && threads.length >= maxThreads ? 'too old' : undefined
})

/** Shows one page more of older threads. */
export async function showOlder(): Promise<void> {
  listSize.value = Math.min(listSize.peek() + pageSize, maxThreads)
  await readFurther(listSize.peek())
}

/** Searches the titles; reads all threads up to `maxThreads` for it. */
export async function searchThreads(text: string): Promise<void> {
  threadSearch.value = text
  if (words.peek().length > 0) await readFurther(maxThreads)
}

async function readFurther(max: number): Promise<void> {
  const page = threadList.data.peek()
  if (page && page.next_cursor !== null && page.threads.length < max) await threadList.load()
}

async function readThreads(max: number): Promise<ThreadPage> {
  const threads = new Map<string, Thread>()
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ limit: String(Math.min(max - threads.size, maxPerRequest)) })
    if (cursor !== null) query.set('cursor', cursor)
    const page: ThreadPage = await request<ThreadPage>('GET', `/api/threads?${query}`)
    for (const thread of page.threads) threads.set(thread.id, thread)
    cursor = page.next_cursor
  } while (cursor !== null && threads.size < max)
  return { threads: [...threads.values()], next_cursor: cursor }
}

export async function renameThread(id: string, title: string): Promise<void> {
  await request('PATCH', `/api/threads/${id}`, { body: { title } })
  await threadList.load()
}

/** Hides a thread, and deletes it when the notice ends without an undo. */
export function deleteThread({ id, title }: Thread): void {
  deletedThreads.value = new Set([...deletedThreads.value, id])
  const wasOpen = threadIdIn(route.value.path) === id
  if (wasOpen) go('/')
  const show = (): void => {
    deletedThreads.value = new Set([...deletedThreads.value].filter((each) => each !== id))
  }
  const undo = (): void => {
    show()
    if (wasOpen && route.value.path === '/') go(`/threads/${id}`)
  }
  notify(`“${title}” is deleted`, { undo, onEnd: () => void erase(id, show) })
}

async function erase(id: string, show: () => void): Promise<void> {
  try {
    await request('DELETE', `/api/threads/${id}`, { keepalive: true })
    await threadList.load()
  } catch (error) {
    notify(`The thread was not deleted. ${faultText(error)}`)
  } finally {
    show()
  }
}

/** Applies the frame of a thread that has changed or was removed. */
export function applyThread(frame: Extract<Frame, { type: 'thread' }>): void {
  const page = threadList.data.peek()
  if (!page) return
  const others = page.threads.filter(({ id }) => id !== frame.id)
  const threads = 'removed' in frame ? others : [frame, ...others].toSorted(lastUsedFirst)
  threadList.data.value = { ...page, threads }
}

function lastUsedFirst(a: Thread, b: Thread): number {
  return b.updated_at.localeCompare(a.updated_at)
}
