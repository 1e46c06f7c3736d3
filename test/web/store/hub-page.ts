// A page with a live connection to the gateway, and what it was told.
import type { TestContext } from 'node:test'
import { draw, freshPage, gateway, ok, serveThread, settled, socket, threadOf } from './page.ts'
import { go } from '../../../web/router.ts'
import { gates } from '../../../web/store/gates.ts'
import { openConversation, startHub } from '../../../web/store/hub.ts'
import { setStorageUser } from '../../../web/store/local-storage.ts'
import { restoreOutbox } from '../../../web/store/outbox.ts'
import { threadList } from '../../../web/store/threads.ts'

export const batchMs = 150
export const retryMs = 5_000
export const sending = 'POST /api/chat/send'
let tests = 0

/** The page at a thread of its own, connected. */
export async function start(t: TestContext, lastSeq = 2) {
  freshPage(t)
  setStorageUser(`user ${++tests}`)
  restoreOutbox()
  threadList.data.value = undefined
  gates.data.value = undefined
  const id = `t${tests}`
  const given = { lastSeq, queued: [] as unknown[] }
  serveThread(id, given)
  gateway.on('GET /api/threads', ok({ threads: [threadOf(id)], next_cursor: null }))
  gateway.on('GET /api/gates', ok({ gates: [] }))
  gateway.on('GET /api/status', ok({}))
  gateway.on('GET /api/session', ok({ user_id: 'ada', user: 'ada', operator: true }))
  go(`/threads/${id}`)
  const stop = startHub()
  t.after(() => {
    stop()
    draw()
    go('/')
  })
  await settled()
  socket().accept()
  draw()
  await settled()
  t.mock.timers.tick(batchMs)
  await settled()
  gateway.asked.length = 0
  const path = `GET /api/threads/${id}`
  return { id, given, path, stop }
}

export const seqs = () => (openConversation.value?.turns.value ?? []).map(({ id }) => Number(id.slice('turn '.length)))
export const subscribed = () => socket().of('subscribe').at(-1)

export async function tell(...frames: readonly object[]): Promise<void> {
  socket().tell(...frames)
  draw()
  await settled()
}
