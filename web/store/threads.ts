// The list of threads at the side.
import { computed, signal } from '@preact/signals'
import { ask, faultText } from '../api/client.ts'
import type { Frame } from '../api/live.ts'
import type { Thread } from '../api/wire.ts'
import { go, place, threadIn } from '../router.ts'
import { loaded } from './loaded.ts'
import { tell } from './notices.ts'

const pageSize = 100

type Page = { readonly threads: readonly Thread[]; readonly next_cursor: string | null }

export const threadList = loaded(() => ask<Page>('GET', `/api/threads?limit=${pageSize}`))

/** What stands in the search box. */
export const threadSearch = signal('')

/** Threads that were deleted a moment ago and can still be brought back. */
const hidden = signal<ReadonlySet<string>>(new Set())

/** The threads as the list shows them. */
export const shownThreads = computed(() => {
  const words = threadSearch.value.toLowerCase().split(/\s+/).filter(Boolean)
  return (threadList.data.value?.threads ?? []).filter(({ id, title }) => {
    const text = title.toLowerCase()
    return !hidden.value.has(id) && words.every((word) => text.includes(word))
  })
})

export async function renameThread(id: string, title: string): Promise<void> {
  await ask('PATCH', `/api/threads/${id}`, { body: { title } })
  await threadList.load()
}

/** Takes a thread out of the list, and deletes it unless that is undone within the notice's time. */
export function deleteThread({ id, title }: Thread): void {
  hidden.value = new Set([...hidden.value, id])
  if (threadIn(place.value.path) === id) go('/')
  const show = (): void => {
    hidden.value = new Set([...hidden.value].filter((each) => each !== id))
  }
  tell(`“${title}” is deleted`, { undo: show, after: () => void erase(id, show) })
}

async function erase(id: string, show: () => void): Promise<void> {
  try {
    await ask('DELETE', `/api/threads/${id}`)
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
