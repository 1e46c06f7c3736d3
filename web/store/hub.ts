// What joins the live connection to the stores: the open thread, the lists, the state of the link.
import { batch, computed, effect, signal } from '@preact/signals'
import { type Frame, type Live, openLive } from '../api/live.ts'
import { place, threadIn } from '../router.ts'
import { type Conversation, createConversation, isAtRest } from './conversation.ts'
import { gates } from './gates.ts'
import { linkBroke, linkStands } from './link.ts'
import { arrived, sendHeld } from './outbox.ts'
import { service } from './service.ts'
import { threadList } from './threads.ts'

/** Threads that were read a moment ago are shown at once when one comes back to them. */
const mostKept = 8
/** Changes of the lists come in bursts: they are read once for all of them. */
const gatherMs = 150

const kept = new Map<string, Conversation>()
const live = signal<Live | undefined>(undefined)

/** The thread that is open, by the address. */
export const open = computed<Conversation | undefined>(() => {
  const id = threadIn(place.value.path)
  return id === undefined ? undefined : conversationOf(id)
})

/** The state of the open thread, for the light line. */
export const running = computed(() =>
  [...(open.value?.states.value.values() ?? [])].find(({ status }) => !isAtRest(status)),
)

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
  })
  live.value = mine
  const stopFollowing = effect(() => {
    const now = open.value
    if (now) void follow(now)
  })
  const stopArrivals = effect(() => {
    const now = open.value
    if (now) arrived(new Set(now.turns.value.map(({ id }) => id)))
  })
  return () => {
    stopFollowing()
    stopArrivals()
    mine.close()
    linkStands()
    live.value = undefined
    kept.clear()
  }
}

/** Tries the connection at once. */
export function reconnect(): void {
  live.peek()?.again()
}

/** Reads what is missing, then follows from there: nothing falls between, since the gateway sends from that seq on. */
async function follow(conversation: Conversation): Promise<void> {
  await conversation.load()
  if (open.peek() === conversation) live.peek()?.subscribe(conversation.id, conversation.lastSeq())
}

let waitingFrames: Frame[] = []

/** Text comes in many small pieces: they are taken together, once for each picture that the screen shows. */
function take(frame: Frame): void {
  if (frame.type === 'changed') return refresh()
  waitingFrames.push(frame)
  if (waitingFrames.length === 1) {
    if (document.hidden) setTimeout(flush, gatherMs)
    else requestAnimationFrame(flush)
  }
  return undefined
}

function flush(): void {
  const frames = waitingFrames
  waitingFrames = []
  const now = open.peek()
  let whole = true
  batch(() => {
    for (const frame of frames) {
      if (!now || !('thread_id' in frame) || frame.thread_id !== now.id) continue
      if (!now.take(frame)) whole = false
    }
  })
  if (now && !whole) void follow(now)
  if (frames.some(({ type }) => type === 'turn')) refresh()
}

let gathering: ReturnType<typeof setTimeout> | undefined

/** Reads the lists again, soon. */
export function refresh(): void {
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
  if (kept.size > mostKept) kept.delete(kept.keys().next().value ?? id)
  return found
}
