// A page over a gateway with so many threads, and the list that it shows.
import type { TestContext } from 'node:test'
import { freshPage, gateway, ok, partOf, threadOf } from './page.ts'
import type { Thread } from '#doors/web/wire/thread.ts'
import { go } from '../../../web/router.ts'
import { endNotice } from '../../../web/store/notices.ts'
import { shownThreads } from '../../../web/store/threads.ts'

export const listing = 'GET /api/threads'

/** The gateway has so many threads; the last used is number 0. */
export function serve(t: TestContext, count: number): void {
  freshPage(t)
  endNotice()
  go('/')
  gateway.on(listing, ({ query }) => {
    const { numbers, next_cursor } = partOf(query, count)
    return ok({ threads: numbers.map((at) => thread(at)), next_cursor })
  })
}

export const thread = (at: number, more: Partial<Thread> = {}) =>
  threadOf(`t${at}`, { title: `Thread Number ${at}`, updated_at: new Date(1e12 - at).toISOString(), ...more })
export const pages = () =>
  gateway
    .of(listing)
    .filter(({ query }) => !query.has('shelf'))
    .map(({ query }) => [query.get('cursor'), query.get('limit')])
export const shown = () => shownThreads.value.map(({ id }) => id)

export const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => `t${first + at}`)
