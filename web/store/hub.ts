// What joins the live connection to the stores: the open thread, the lists, the state of the link.
import { batch, computed, effect, signal } from '@preact/signals'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { Thread } from '#doors/web/wire/thread.ts'
import { type Live, openLive } from '../api/live.ts'
import { place, threadIn } from '../router.ts'
import { type Conversation, createConversation, isAtRest } from './conversation.ts'
import { gates, takeGate } from './gates.ts'
import { linkBroke, linkStands } from './link.ts'
import { arrived, sendHeld } from './outbox.ts'
import { service } from './service.ts'
import { findSession } from './session.ts'
import { takeThread, threadList } from './threads.ts'
import { evictOldest } from '../lib/evict.ts'

/** Threads that were read a moment ago are shown at once when one comes back to them. */
const maxKept = 8
/** Changes of the lists come in bursts: they are read once for all of them. */
const gatherMs = 150
/** What could not be sent or read although the connection stands is tried again. */
const againMs = 5_000

const kept = new Map<string, Conversation>()
const live = signal<Live | undefined>(undefined)

/** The thread that is open, by the address. */
export const open = computed<Conversation | undefined>(() => {
  const id = threadIn(place.value.path)
  return id === undefined ? undefined : conversationOf(id)
})

/** The turn that runs in the open thread. Text that comes tells it first, then the list of threads. */
export const running = computed<string | undefined>(() => {
  const now = open.value
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

/** Opens the connection and follows what is open; returns the way to stop. */
export function startHub(): () => void {
  const mine = openLive({
    frame: take,
    up() {
      linkStands()
      refresh()
      const now = open.peek()
      if (now) void follow(now)
      void sendHeld()
    },
    down: linkBroke,
    signedOut: () => void findSession(),
  })
  live.value = mine
  const stopFollowing = effect(() => {
    const now = open.value
    if (!now) return undefined
    void follow(now)
    return () => mine.unsubscribe(now.id)
  })
  const stopArrivals = effect(() => {
    const now = open.value
    if (now) arrived(new Set(now.turns.value.map(({ id }) => id)))
  })
  const again = setInterval(() => {
    void sendHeld()
    const now = open.peek()
    if (now?.fault.peek()?.missing === false) void follow(now)
  }, againMs)
  return () => {
    clearInterval(again)
    stopFollowing()
    stopArrivals()
    mine.close()
    linkStands()
    live.value = undefined
    kept.clear()
  }
}

/** Reads what is missing, then follows from there: nothing falls between, since the gateway sends from that seq on. */
async function follow(conversation: Conversation): Promise<void> {
  await conversation.load()
  if (open.peek() === conversation) live.peek()?.subscribe(conversation.id, conversation.lastSeq())
}

let waitingFrames: Frame[] = []

/** Text comes in many small pieces: they are taken together, once for each picture that the screen shows. */
function take(frame: Frame): void {
  waitingFrames.push(frame)
  if (waitingFrames.length > 1) return
  if (document.hidden) setTimeout(flush, gatherMs)
  else requestAnimationFrame(flush)
}

function flush(): void {
  const frames = waitingFrames
  waitingFrames = []
  const now = open.peek()
  let whole = true
  batch(() => {
    for (const frame of frames) {
      if (frame.type === 'thread') takeThread(frame)
      else if (frame.type === 'gate') takeGate(frame)
      else if (frame.type === 'reload') refresh()
      else if (now && 'thread_id' in frame && frame.thread_id === now.id && !now.take(frame)) whole = false
    }
  })
  if (now && !whole) void follow(now)
  if (frames.some((frame) => frame.type === 'turn' && isAtRest(frame.status))) void service.load()
}

let gathering: ReturnType<typeof setTimeout> | undefined

/** Reads the lists again, soon. */
function refresh(): void {
  gathering ??= setTimeout(() => {
    gathering = undefined
    void threadList.load()
    void gates.load()
    void service.load()
  }, gatherMs)
}

function conversationOf(id: string): Conversation {
  const found = kept.get(id) ?? createConversation(id)
  kept.delete(id)
  kept.set(id, found)
  evictOldest(kept, maxKept)
  return found
}
