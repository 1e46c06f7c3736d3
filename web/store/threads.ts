// The list of threads at the side.
import { computed, signal } from '@preact/signals'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { Thread, ThreadPage } from '#doors/web/wire/thread.ts'
import { ask, faultText } from '../api/client.ts'
import { go, place, threadIn } from '../router.ts'
import { loaded } from './loaded.ts'
import { tell } from './notices.ts'

/** How many threads the list shows at first, and how many more with each look further back. */
const pageSize = 100
/** What one answer of the gateway holds at most. */
const maxInAnswer = 200
/** How far back the list goes and a search looks. */
export const maxThreads = 2_000

/** What stands in the search box. */
export const threadSearch = signal('')

/** How many threads the list shows while nothing is searched for. */
const wanted = signal(pageSize)

const words = computed(() => threadSearch.value.toLowerCase().split(/\s+/).filter(Boolean))

/** The threads, last used first: as many as are shown, or all that a search looks through. */
export const threadList = loaded(() => readThreads(words.peek().length > 0 ? maxThreads : wanted.peek()))

/** Threads that were deleted a moment ago and can still be brought back. */
const hidden = signal<ReadonlySet<string>>(new Set())

/** The threads as the list shows them. */
export const shownThreads = computed(() => {
  const found = (threadList.data.value?.threads ?? []).filter(({ id, title }) => {
    const text = title.toLowerCase()
    return !hidden.value.has(id) && words.value.every((word) => text.includes(word))
  })
  return found.slice(0, wanted.value)
})

/** What lies beyond the threads that are shown: more of them, or only what is too old to be listed. */
export const olderThreads = computed<'more' | 'too old' | undefined>(() => {
  const { threads = [], next_cursor = null } = threadList.data.value ?? {}
  if (shownThreads.value.length === wanted.value && wanted.value < maxThreads) {
    if (next_cursor !== null || threads.length > wanted.value) return 'more'
  }
  return next_cursor !== null && threads.length >= maxThreads ? 'too old' : undefined
})

/** Shows threads further back. */
export async function showOlder(): Promise<void> {
  wanted.value = Math.min(wanted.peek() + pageSize, maxThreads)
  await readFurther(wanted.peek())
}

/** Looks for words in the titles, in those that were not read yet too. */
export async function searchThreads(text: string): Promise<void> {
  threadSearch.value = text
  if (words.peek().length > 0) await readFurther(maxThreads)
}

async function readFurther(most: number): Promise<void> {
  const page = threadList.data.peek()
  if (page && page.next_cursor !== null && page.threads.length < most) await threadList.load()
}

async function readThreads(most: number): Promise<ThreadPage> {
  const threads = new Map<string, Thread>()
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ limit: String(Math.min(most - threads.size, maxInAnswer)) })
    if (cursor !== null) query.set('cursor', cursor)
    const page: ThreadPage = await ask<ThreadPage>('GET', `/api/threads?${query}`)
    for (const thread of page.threads) threads.set(thread.id, thread)
    cursor = page.next_cursor
  } while (cursor !== null && threads.size < most)
  return { threads: [...threads.values()], next_cursor: cursor }
}

export async function renameThread(id: string, title: string): Promise<void> {
  await ask('PATCH', `/api/threads/${id}`, { body: { title } })
  await threadList.load()
}

/** Takes a thread out of the list, and deletes it unless that is undone within the notice's time. */
export function deleteThread({ id, title }: Thread): void {
  hidden.value = new Set([...hidden.value, id])
  const wasOpen = threadIn(place.value.path) === id
  if (wasOpen) go('/')
  const show = (): void => {
    hidden.value = new Set([...hidden.value].filter((each) => each !== id))
  }
  const undo = (): void => {
    show()
    if (wasOpen && place.value.path === '/') go(`/threads/${id}`)
  }
  tell(`“${title}” is deleted`, { undo, after: () => void erase(id, show) })
}

async function erase(id: string, show: () => void): Promise<void> {
  try {
    await ask('DELETE', `/api/threads/${id}`, { keepalive: true })
    await threadList.load()
  } catch (error) {
    tell(`The thread was not deleted. ${faultText(error)}`)
  } finally {
    show()
  }
}

/** A thread has changed, or is gone. */
export function takeThread(frame: Extract<Frame, { type: 'thread' }>): void {
  const page = threadList.data.peek()
  if (!page) return
  const others = page.threads.filter(({ id }) => id !== frame.id)
  const threads = 'removed' in frame ? others : [frame, ...others].toSorted(lastUsedFirst)
  threadList.data.value = { ...page, threads }
}

function lastUsedFirst(a: Thread, b: Thread): number {
  return b.updated_at.localeCompare(a.updated_at)
}
