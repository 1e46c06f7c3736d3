// The list of threads in the sidebar: search, paging, rename, delete.
import { computed, signal } from '@preact/signals'
import { maxDeletedThreads, maxThreadsPerPage } from '#core/page-limits.ts'
import { countWords } from '#core/words.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { Thread, ThreadPage } from '#doors/web/wire/thread.ts'
import { request, faultText } from '../api/client.ts'
import { go, route, threadIdIn } from '../router.ts'
import { loaded } from './loaded.ts'
import { notify } from './notices.ts'

/** How many threads the list shows at first, and how many more with each step back. */
const pageSize = 100
/** Neither the list nor a search goes further back. */
export const maxThreads = 2_000

/** The text of the search box. */
export const threadSearch = signal('')

/** At most this many threads are shown. */
const listSize = signal(pageSize)

const words = computed(() => threadSearch.value.toLowerCase().split(/\s+/).filter(Boolean))

/** True while the sidebar lists the archived threads. */
export const showsArchive = signal(false)

/** The threads, last used first: `listSize` of them, or `maxThreads` during a search. Pinned ones are all there. */
export const threadList = loaded(() => readThreads(words.peek().length > 0 ? maxThreads : listSize.peek()))

/** One of the archived threads, if there are any. Frames keep it true; it is read again only when it leaves the archive. */
export const oneArchived = loaded(
  async () => (await request<ThreadPage>('GET', '/api/threads?shelf=archived&limit=1')).threads[0],
)

/** Deleted threads whose deletion can still be undone. */
export const deletedThreads = signal<ReadonlySet<string>>(new Set())

const matching = computed(() =>
  (threadList.data.value?.threads ?? []).filter(({ id, title, archived = false }) => {
    const text = title.toLowerCase()
    const isListed = archived === showsArchive.value && !deletedThreads.value.has(id)
    return isListed && words.value.every((word) => text.includes(word))
  }),
)

/** The pinned threads to show, filtered. */
export const pinnedThreads = computed(() => matching.value.filter(({ pinned }) => pinned))

/** The other threads to show, filtered. */
export const shownThreads = computed(() => matching.value.filter(({ pinned }) => !pinned).slice(0, listSize.value))

/** `more` if there are older threads to show, `too old` if there are only ones past `maxThreads`. */
export const olderThreads = computed<'more' | 'too old' | undefined>(() => {
  const { threads: all = [], next_cursor = null } = threadList.data.value ?? {}
  const threads = all.filter(({ pinned }) => !pinned)
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

/** Shows the archived threads in place of the others, or the others again. */
export async function showArchive(shows: boolean): Promise<void> {
  showsArchive.value = shows
  threadList.data.value = undefined
  await threadList.load()
}

async function readThreads(max: number): Promise<ThreadPage> {
  const archived = showsArchive.peek()
  const [listed, pinned] = await Promise.all([readPages(max, archived), archived ? [] : readPinned()])
  const known = new Set(listed.threads.map(({ id }) => id))
  const older = pinned.filter((each) => each.pinned && !known.has(each.id))
  return { ...listed, threads: [...listed.threads, ...older] }
}

async function readPinned(): Promise<readonly Thread[]> {
  return (await request<ThreadPage>('GET', `/api/threads?shelf=pinned&limit=${maxThreadsPerPage}`)).threads
}

async function readPages(max: number, archived: boolean): Promise<ThreadPage> {
  const threads = new Map<string, Thread>()
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ limit: String(Math.min(max - threads.size, maxThreadsPerPage)) })
    if (archived) query.set('shelf', 'archived')
    if (cursor !== null) query.set('cursor', cursor)
    const page: ThreadPage = await request<ThreadPage>('GET', `/api/threads?${query}`)
    for (const thread of page.threads) threads.set(thread.id, thread)
    cursor = page.next_cursor
  } while (cursor !== null && threads.size < max)
  return { threads: [...threads.values()], next_cursor: cursor }
}

/** Pins, archives or brings back a thread, or shows it in place of its variants. */
export async function shelveThread(
  id: string,
  where: { pinned: boolean } | { archived: boolean } | { shown: true },
): Promise<void> {
  applyThread({ type: 'thread', ...(await request<Thread>('PATCH', `/api/threads/${id}`, { body: where })) })
}

export async function renameThread(id: string, title: string): Promise<void> {
  await request('PATCH', `/api/threads/${id}`, { body: { title } })
  await threadList.load()
}

/** Hides a thread, and deletes it when the notice ends without an undo. */
export function deleteThread({ id, title }: Pick<Thread, 'id' | 'title'>): void {
  hideAndErase([id], `“${title}” is deleted`, () => request('DELETE', `/api/threads/${id}`, { keepalive: true }))
}

/** The same for several, of which the gateway deletes a bounded number at once. */
export function deleteThreads(ids: readonly string[]): void {
  hideAndErase(ids, `${countWords(ids.length, 'thread')} deleted`, async () => {
    for (let from = 0; from < ids.length; from += maxDeletedThreads) {
      const body = { ids: ids.slice(from, from + maxDeletedThreads) }
      await request('POST', '/api/threads/delete', { body, keepalive: true })
    }
  })
}

function hideAndErase(ids: readonly string[], words: string, erase: () => Promise<unknown>): void {
  deletedThreads.value = new Set([...deletedThreads.value, ...ids])
  const open = threadIdIn(route.value.path)
  const wasOpen = open !== undefined && ids.includes(open)
  if (wasOpen) go('/')
  const show = (): void => {
    deletedThreads.value = new Set([...deletedThreads.value].filter((each) => !ids.includes(each)))
  }
  const undo = (): void => {
    show()
    if (wasOpen && route.value.path === '/') go(`/threads/${open}`)
  }
  const end = async (): Promise<void> => {
    try {
      await erase()
      await threadList.load()
    } catch (error) {
      notify(`The ${ids.length === 1 ? 'thread was' : 'threads were'} not deleted. ${faultText(error)}`)
    } finally {
      show()
    }
  }
  notify(words, { undo, onEnd: () => void end() })
}

/** Applies the frame of a thread that has changed or was removed. */
export function applyThread(frame: Extract<Frame, { type: 'thread' }>): void {
  const archived = 'archived' in frame && frame.archived
  if (archived) oneArchived.data.value = frame
  // An answer that is on its way may be older than the frame, and would undo it.
  if (archived ? oneArchived.loading.peek() : oneArchived.data.peek()?.id === frame.id) void oneArchived.load()
  const page = threadList.data.peek()
  if (!page) return
  const others = page.threads.filter(({ id }) => id !== frame.id)
  threadList.data.value = { ...page, threads: 'removed' in frame || frame.hidden ? others : withThread(others, frame) }
}

/** A variant that is shown takes the place of the others of its conversation. */
function withThread(others: readonly Thread[], thread: Thread): Thread[] {
  const rest = others.filter(({ id, family = id }) => family !== thread.family)
  return [thread, ...rest].toSorted(lastUsedFirst)
}

function lastUsedFirst(a: Thread, b: Thread): number {
  return b.updated_at.localeCompare(a.updated_at)
}
