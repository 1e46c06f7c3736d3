// A page with an empty outbox, and what the gateway was sent from it.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Answer, freshPage, gateway, ok } from './page.ts'
import { go } from '../../../web/router.ts'
import { setStorageUser } from '../../../web/store/local-storage.ts'
import { type Outgoing, outgoingTo, restoreOutbox, send } from '../../../web/store/outbox.ts'

export const sending = 'POST /api/chat/send'
let users = 0

/** An outbox of somebody new, so that nothing is left of the test before. */
export function open(t: TestContext): void {
  freshPage(t)
  setStorageUser(`user ${++users}`)
  restoreOutbox()
  go('/')
  gateway.on('GET /api/threads', ok({ threads: [], next_cursor: null }))
}

/** The name under which the browser keeps a message of the open outbox. */
export const storageKey = (name: string) => `atrium.user ${users}.outbox.${name}`

export const say = (text: string, threadId: string | undefined = 'a'): Promise<void> =>
  send({ threadId, text, files: [] })
export const states = (threadId: string | undefined = 'a') =>
  outgoingTo(threadId).map(({ text, state }) => [text, state])
export const texts = () => gateway.bodies(sending).map((body) => (body as { message: string }).message)
export const keys = () => gateway.of(sending).map(({ headers }) => headers['idempotency-key'])
export const first = (threadId: string | undefined = 'a'): Outgoing => {
  const [found] = outgoingTo(threadId)
  assert(found)
  return found
}

/** The gateway takes each message as a turn of its thread. */
export const take = (asked: { body: unknown }): Answer => {
  const { message, thread_id = 'made' } = asked.body as { message: string; thread_id?: string }
  return ok({ thread_id, turn_id: `turn of ${message}` })
}
