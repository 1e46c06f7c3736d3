// Feeds the live connection's frames into the stores: the open thread, the lists, the state of the link.
import { batch, computed, effect, signal } from '@preact/signals'
import { isAtRest } from '#core/turn-status.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { Thread } from '#doors/web/wire/thread.ts'
import { evictOldest } from '#lib/evict.ts'
import { type Live, openLive } from '../api/live.ts'
import { route, threadIdIn } from '../router.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { gates, applyGate } from './gates.ts'
import { linkDown, linkUp } from './link.ts'
import { notify } from './notices.ts'
import { removeArrived, sendHeld } from './outbox.ts'
import { service } from './service.ts'
import { findSession } from './session.ts'
import { applyThread, shelveThread, threadList } from './threads.ts'

/** Threads kept in memory, so that going back to one shows it at once. */
const maxRecent = 8
/** Changes of the lists come in bursts; the lists are read once per burst. */
const batchMs = 150
/** How often to retry what failed to send or load while connected. */
const retryMs = 5_000

const recent = new Map<string, Conversation>()
const live = signal<Live | undefined>(undefined)

/** The thread that the address names. */
export const openConversation = computed<Conversation | undefined>(() => {
  const id = threadIdIn(route.value.path)
  return id === undefined ? undefined : conversationOf(id)
})

/** The turn that runs in the open thread: known from turn frames or streamed text, else from the list of threads. */
export const runningTurn = computed<string | undefined>(() => {
  const now = openConversation.value
  if (!now) return undefined
  const states = now.states.value
  const rests = (id: string): boolean => states.has(id) && isAtRest(states.get(id)?.status ?? 'running')
  const known = [...states.values()].find(({ status }) => !isAtRest(status))?.id ?? now.growing.value[0]?.turnId
  if (known !== undefined) return known
  const last = now.turns.value.at(-1)?.id
  return last !== undefined && stateOf(now.id) === 'running' && !rests(last) ? last : undefined
})

function stateOf(id: string): Thread['state'] | undefined {
  return threadList.data.value?.threads.find((each) => each.id === id)?.state
}

/** Opens the live connection and follows the open thread; returns the function that stops both. */
export function startHub(): () => void {
  const mine = openLive({
    frame: queueFrame,
    up() {
      linkUp()
      refresh()
      const now = openConversation.peek()
      if (now) void follow(now)
      void sendHeld()
    },
    down(fellBehind) {
      linkDown()
      if (fellBehind)
        notify('This page fell behind, so its connection was closed. It reconnects and loads what it missed.')
    },
    signedOut: () => void findSession(),
  })
  live.value = mine
  const stopFollowing = effect(() => {
    const now = openConversation.value
    if (!now) return undefined
    void follow(now).then(() => showInList(now))
    return () => mine.unsubscribe(now.id)
  })
  const stopArrivals = effect(() => {
    const now = openConversation.value
    if (!now) return
    // A queued message whose turn was stopped never enters the thread.
    const ended = [...now.states.value.values()].filter(({ status }) => isAtRest(status))
    removeArrived(new Set([...now.turns.value, ...ended].map(({ id }) => id)))
  })
  const again = setInterval(() => {
    void sendHeld()
    const now = openConversation.peek()
    if (now?.fault.peek()?.missing === false) void follow(now)
  }, retryMs)
  return () => {
    clearInterval(again)
    stopFollowing()
    stopArrivals()
    mine.close()
    linkUp()
    live.value = undefined
  }
}

/** Loads what is missing, then subscribes from the last seq. No item is lost: the gateway sends from that seq on. */
async function follow(conversation: Conversation): Promise<void> {
  await conversation.load()
  if (openConversation.peek() === conversation) live.peek()?.subscribe(conversation.id, conversation.lastSeq())
}

/** Lists show the variant of a conversation that was opened last. */
async function showInList({ id, thread }: Conversation): Promise<void> {
  if (thread.peek()?.hidden) await shelveThread(id, { shown: true }).catch(() => undefined)
}

let queuedFrames: Frame[] = []

/** Frames of streamed text are small and many, so they are applied together, once per animation frame. */
function queueFrame(frame: Frame): void {
  queuedFrames.push(frame)
  if (queuedFrames.length > 1) return
  if (document.hidden) setTimeout(applyFrames, batchMs)
  else requestAnimationFrame(applyFrames)
}

function applyFrames(): void {
  const frames = queuedFrames
  queuedFrames = []
  const now = openConversation.peek()
  let whole = true
  batch(() => {
    for (const frame of frames) {
      if (frame.type === 'thread') {
        applyThread(frame)
        // Another page said a message again.
        if (now && !frame.removed && frame.id !== now.id && frame.family === familyOf(now)) whole = false
        // It was deleted elsewhere.
        if (frame.removed && frame.id === now?.id) whole = false
      }
      if (frame.type === 'gate') applyGate(frame)
      if (frame.type === 'reload' || isReadMeanwhile(frame)) refresh()
      // A message was queued or changed, here or on another page.
      else if (now && frame.type === 'turn' && frame.status === 'queued' && isUnbegun(frame, now)) whole = false
      else if (now && 'thread_id' in frame && frame.thread_id === now.id && !now.apply(frame)) whole = false
    }
  })
  if (now && !whole) void follow(now)
  if (frames.some((frame) => frame.type === 'turn' && isAtRest(frame.status))) void service.load()
}

/** A turn that waits behind another has nothing in the thread yet. */
function isUnbegun({ thread_id, turn_id }: Extract<Frame, { type: 'turn' }>, { id, turns }: Conversation): boolean {
  return thread_id === id && !turns.peek().some((turn) => turn.id === turn_id)
}

/** The answer of a list that is being read may be older than a frame, and would undo it. */
function isReadMeanwhile({ type }: Frame): boolean {
  return (type === 'thread' && threadList.loading.peek()) || (type === 'gate' && gates.loading.peek())
}

let gathering: ReturnType<typeof setTimeout> | undefined

/** Reads the lists again after `batchMs`. */
function refresh(): void {
  gathering ??= setTimeout(() => {
    gathering = undefined
    void threadList.load()
    void gates.load()
    void service.load()
  }, batchMs)
}

/** The conversation that a thread with variants, or one that may get them, is part of. */
function familyOf({ id, thread }: Conversation): string {
  return thread.peek()?.family ?? id
}

export function conversationOf(id: string): Conversation {
  const found = recent.get(id) ?? createConversation(id)
  recent.delete(id)
  recent.set(id, found)
  evictOldest(recent, maxRecent)
  return found
}
