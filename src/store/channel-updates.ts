// Takes updates of chat channels, each once: the row of an update and what it causes are one transaction.
import type { ChatEffect, GateButton, PairedChat, Updates } from '#core/channel.ts'
import { userId } from '#core/ids.ts'
import type { NewTurn, StoredTurn } from '#core/turn-store.ts'
import type { Bodies } from './append-items.ts'
import { addPost, forgetButtons, forgetChat } from './channel-posts.ts'
import { changes, first, type Job, run } from './sql.ts'
import { startTurn } from './start-turn.ts'

type TakeParts = {
  readonly now: number
  readonly lock: string
  readonly maxUserBytes: number
  readonly ids: { readonly turn: string; readonly post: string }
  /** The texts of the input's items of a turn. */
  readonly bodies?: Bodies
}

/** Records updates; false if one of them was taken before. */
function* record({ channel, account, ids }: Updates, now: number): Job<boolean> {
  for (const id of ids) {
    const recorded = yield* changes(
      `INSERT INTO channel_updates (channel, account, id, taken_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (channel, account, id) DO NOTHING`,
      channel,
      account,
      id,
      now,
    )
    if (recorded === 0) return false
  }
  return true
}

export function* isTaken({ channel, account, ids }: Updates): Job<boolean> {
  for (const id of ids) {
    const row = yield* first(
      'SELECT id FROM channel_updates WHERE channel = ? AND account = ? AND id = ?',
      channel,
      account,
      id,
    )
    if (row) return true
  }
  return false
}

/** A chat is paired with one user, and a user with one chat: a new pairing replaces both. */
export function* takePairing(
  updates: Updates,
  chat: string,
  { hash, note }: { readonly hash: string; readonly note: string },
  { now, ids }: TakeParts,
): Job<PairedChat | undefined> {
  const { channel } = updates
  const code = yield* first(
    'DELETE FROM channel_codes WHERE hash = ? AND channel = ? AND ends_at > ? RETURNING user_id',
    hash,
    channel,
    now,
  )
  if (!code || !(yield* record(updates, now))) return undefined
  const user = userId(String(code['user_id']))
  const before = yield* first(
    'DELETE FROM channel_chats WHERE user_id = ? AND channel = ? RETURNING chat',
    user,
    channel,
  )
  if (before) yield* forgetChat(channel, String(before['chat']))
  yield* forgetChat(channel, chat)
  yield* run('DELETE FROM channel_chats WHERE channel = ? AND chat = ?', channel, chat)
  yield* run(
    'INSERT INTO channel_chats (channel, chat, user_id, paired_at) VALUES (?, ?, ?, ?)',
    channel,
    chat,
    user,
    now,
  )
  yield* addPost({ id: ids.post, channel, chat, user, kind: 'note', text: note }, now)
  return { channel, chat, user }
}

export function* takeEffect(
  updates: Updates,
  { channel, chat, user }: PairedChat,
  { thread, note }: ChatEffect,
  { now, lock, ids }: TakeParts,
): Job<boolean> {
  if (!(yield* record(updates, now)) || !(yield* isPaired({ channel, chat, user }, lock))) return false
  if (thread !== undefined) yield* setThread({ channel, chat }, thread)
  if (note !== undefined) yield* addPost({ id: ids.post, channel, chat, user, kind: 'note', text: note }, now)
  return true
}

export function* takeTurn(
  updates: Updates,
  { channel, chat, user, threadId }: PairedChat,
  { turn, source }: { readonly turn: NewTurn; readonly source: string },
  parts: TakeParts,
): Job<StoredTurn | undefined> {
  const { now, ids, ...rest } = parts
  if (!(yield* record(updates, now)) || !(yield* isPaired({ channel, chat, user }, parts.lock))) return undefined
  const stored = yield* startTurn(turn, { id: ids.turn, now, ...rest })
  if (stored.turn.threadId !== threadId) yield* setThread({ channel, chat }, stored.turn.threadId)
  const { id: turnId, threadId: inThread } = stored.turn
  const post = {
    id: ids.post,
    channel,
    chat,
    user,
    kind: 'turn',
    text: '',
    threadId: inThread,
    turnId,
    source,
  } as const
  yield* addPost(post, now)
  return stored
}

export function* takePress(
  updates: Updates,
  gate: Pick<GateButton, 'channel' | 'chat' | 'callId'>,
  now: number,
): Job<boolean> {
  if (!(yield* record(updates, now))) return false
  yield* forgetButtons(gate)
  return true
}

/** True while a chat is this user's: it may have been unpaired since its message was read. */
function* isPaired({ channel, chat, user }: Pick<PairedChat, 'channel' | 'chat' | 'user'>, lock: string): Job<boolean> {
  const row = yield* first(
    `SELECT user_id FROM channel_chats WHERE channel = ? AND chat = ? AND user_id = ?${lock}`,
    channel,
    chat,
    user,
  )
  return row !== undefined
}

function* setThread({ channel, chat }: Pick<PairedChat, 'channel' | 'chat'>, threadId: string | null): Job<void> {
  yield* run('UPDATE channel_chats SET thread_id = ? WHERE channel = ? AND chat = ?', threadId, channel, chat)
}
