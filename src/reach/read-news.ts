// Reads what an entry of the outbox is about, at the moment it is sent: the outbox has no words of its own. News that has
// passed, such as a gate that was answered, is nothing.
import { type Gate, isAssistantMessage, textOf } from '#core/item.ts'
import type { NotificationWay, OutboxEntry } from '#core/notification.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import type { UserId } from '#core/ids.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import { previewText, questionOf } from '#safety/gate-question.ts'
import { readEnd } from '#turns/job-outcome.ts'
import type { News } from './way.ts'

const maxTitleChars = 200
/** Characters of a thread's words in a message: every way takes as many. */
const maxContentChars = 700
/** Open gates of one thread that are searched for the one that is asked about. */
const maxGates = 100

export type ReadNewsParts = {
  readonly store: Pick<Store, 'threads' | 'turns' | 'missions'>
  /** Masks secrets of a user: a message leaves the service. */
  readonly mask: (text: string, user: UserId) => string
}

/** The news of an entry for its way; undefined if there is nothing to tell any more. */
export async function readNews(
  { store, mask }: ReadNewsParts,
  entry: OutboxEntry,
  { content: withContent }: Pick<NotificationWay, 'content'>,
): Promise<News | undefined> {
  const { userId: user, event, threadId, turnId, callId, missionId } = entry
  const [thread, mission, gate] = await Promise.all([
    threadId === undefined ? undefined : store.threads.get(user, threadId),
    missionId === undefined ? undefined : store.missions.get(user, missionId),
    callId === undefined || threadId === undefined ? undefined : findGate(store, { user, threadId, callId }),
  ])
  if (threadId !== undefined && !thread) return undefined
  if (missionId !== undefined && !mission) return undefined
  if (callId !== undefined && !gate) return undefined
  const text = withContent && turnId !== undefined ? await wordsIn(store, { user, turnId, gate }) : undefined
  const clean = (words: string, max: number): string => mask(words, user).slice(0, max).toWellFormed()
  return {
    event,
    title: clean(mission?.title ?? thread?.title ?? '', maxTitleChars) || 'Untitled',
    ...withoutUndefined({ threadId, turnId, missionId }),
    ...(event === 'failed' && mission?.status === 'paused' && { paused: true as const }),
    ...(gate && { waitsFor: gate.kind }),
    ...(text !== undefined && { content: { text: clean(text, maxContentChars), ...(gate && { gate }) } }),
  }
}

async function findGate(
  { turns }: Pick<Store, 'turns'>,
  { user, threadId, callId }: { readonly user: UserId; readonly threadId: string; readonly callId: string },
): Promise<Gate | undefined> {
  const open = await turns.openGates(user, { threadId, limit: maxGates })
  return open.find(({ gate }) => gate.callId === callId)?.gate
}

/** The effect of a gate's call, the last reply of a turn, or why it failed. */
async function wordsIn(
  store: ReadNewsParts['store'],
  { user, turnId, gate }: { readonly user: UserId; readonly turnId: string; readonly gate: Gate | undefined },
): Promise<string> {
  if (gate) {
    const { text, sentence } = questionOf(gate)
    const preview = gate.asks?.preview && previewText(gate.asks.preview)
    return [text, sentence, preview].filter(Boolean).join('\n')
  }
  const turn = await store.turns.get(user, turnId)
  if (!turn) return ''
  if (turn.status === 'failed') return turn.error?.message ?? ''
  return lastMessage(store, turn)
}

async function lastMessage({ threads }: Pick<Store, 'threads'>, turn: Turn): Promise<string> {
  const items = (await readEnd(threads, turn)).map(({ item }) => item)
  const last = items.findLast(isAssistantMessage)
  return last ? textOf(last) : ''
}
