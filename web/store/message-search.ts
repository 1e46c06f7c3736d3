// Threads whose messages have the words of the sidebar's search, as the gateway ranks them.
import { computed, effect } from '@preact/signals'
import type { ListedThread, ThreadPage } from '#doors/web/wire/thread.ts'
import { request } from '../api/client.ts'
import { loaded } from './loaded.ts'
import { deletedThreads, shownThreads, threadSearch } from './threads.ts'

const typingMs = 150
const maxFound = 30

type FoundThreads = { readonly query: string; readonly threads: readonly ListedThread[] }

const query = computed(() => threadSearch.value.trim())

/** The results for the query of the last load. */
export const messageSearch = loaded(async (): Promise<FoundThreads> => {
  const asked = query.peek()
  if (asked === '') return { query: asked, threads: [] }
  const fields = new URLSearchParams({ q: asked, limit: String(maxFound) })
  const { threads } = await request<ThreadPage>('GET', `/api/threads?${fields}`)
  return { query: asked, threads }
})

/** True until the threads of the search's present words are there. */
export const searching = computed(() => {
  return messageSearch.data.value?.query !== query.value && messageSearch.fault.value === undefined
})

/** The threads found by the present words whose titles the list does not show already. */
export const foundThreads = computed<readonly ListedThread[]>(() => {
  const found = messageSearch.data.value
  if (found?.query !== query.value || query.value === '') return []
  const listed = new Set(shownThreads.value.map(({ id }) => id))
  return found.threads.filter(({ id }) => !listed.has(id) && !deletedThreads.value.has(id))
})

/** Searches as the words change, until the returned function is called. */
export function followSearch(): () => void {
  return effect(() => {
    if (query.value === '') return undefined
    const timer = setTimeout(() => void messageSearch.load(), typingMs)
    return () => clearTimeout(timer)
  })
}
