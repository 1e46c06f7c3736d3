// A thread on a page, over a gateway that serves its items.
import type { TestContext } from 'node:test'
import { freshPage, gateway, itemsFrom, serveThread } from './page.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import { type Conversation, createConversation } from '../../../web/store/conversation.ts'

let threads = 0

export function open(t: TestContext, lastSeq = 0, more: { queued?: unknown[]; perAnswer?: number } = {}) {
  freshPage(t)
  const id = `thread ${++threads}`
  const path = encodeURIComponent(id)
  const given = { lastSeq, ...more }
  serveThread(path, given)
  return { conversation: createConversation(id), given, path: `GET /api/threads/${path}` }
}

export const seqs = ({ turns }: Conversation) => turns.value.map(({ id }) => Number(id.slice('turn '.length)))
export const asked = (path: string) =>
  gateway.of(path).map(({ query }) => [query.get('after'), query.get('limit')].map(Number))
export const range = (first: number, last: number) => itemsFrom(first, last).map(({ seq }) => seq)
export const frame = (of: object) => of as Frame
