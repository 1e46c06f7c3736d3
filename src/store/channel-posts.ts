// Messages of the service in chats: posts that are not finished, and the buttons under questions.
import type { ChannelRecords, GateButton, GateQuestion, Post } from '#core/channel.ts'
import type { Door } from '#core/doors.ts'
import { userId } from '#core/ids.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import { first, type Job, query, type Row, run } from './sql.ts'
import type { StoreBase } from './store-base.ts'

type PostVerbs = Pick<
  ChannelRecords,
  'posts' | 'post' | 'answerTo' | 'addQuestion' | 'button' | 'buttonsOf' | 'setMessages' | 'finish'
>
export function createPostStore({ sql, now, nextId }: Pick<StoreBase, 'sql' | 'now' | 'nextId'>): PostVerbs {
  return {
    posts: (channel) =>
      sql.read(function* () {
        return (yield* query('SELECT * FROM channel_posts WHERE channel = ? ORDER BY id', channel)).map(postOf)
      }),
    post: (id) =>
      sql.read(function* () {
        const row = yield* first('SELECT * FROM channel_posts WHERE id = ?', id)
        return row && postOf(row)
      }),
    answerTo: (channel, chat, source) =>
      sql.read(function* () {
        const row = yield* first(
          'SELECT * FROM channel_posts WHERE channel = ? AND chat = ? AND source = ?',
          channel,
          chat,
          source,
        )
        return row && postOf(row)
      }),
    addQuestion: (question) => {
      const id = nextId()
      return sql.write(function* () {
        const { channel, chat, user, threadId, turnId, callId, text } = question
        const paired = yield* first(
          'SELECT chat FROM channel_chats WHERE channel = ? AND chat = ? AND user_id = ?',
          channel,
          chat,
          user,
        )
        const asked = yield* first(
          'SELECT id FROM channel_posts WHERE channel = ? AND chat = ? AND call_id = ?',
          channel,
          chat,
          callId,
        )
        if (!paired || asked) return false
        yield* saveButtons(question)
        yield* addPost({ id, channel, chat, user, kind: 'gate', text, threadId, turnId, callId }, now())
        return true
      })
    },
    button: (id) =>
      sql.read(function* () {
        const row = yield* first('SELECT * FROM channel_buttons WHERE id = ?', id)
        return row && buttonOf(row)
      }),
    buttonsOf: ({ channel, chat, callId }) =>
      sql.read(function* () {
        const rows = yield* query(
          'SELECT * FROM channel_buttons WHERE channel = ? AND chat = ? AND call_id = ?',
          channel,
          chat,
          callId,
        )
        return rows.map(buttonOf)
      }),
    setMessages: (postId, messages) =>
      sql.write(() => run('UPDATE channel_posts SET messages = ? WHERE id = ?', JSON.stringify(messages), postId)),
    finish: (postId) =>
      sql.write(function* () {
        const row = yield* first('DELETE FROM channel_posts WHERE id = ? RETURNING *', postId)
        const post = row && postOf(row)
        if (post?.callId !== undefined) yield* forgetButtons({ ...post, callId: post.callId })
      }),
  }
}

export function* addPost(post: Omit<Post, 'messages'>, at: number): Job<void> {
  yield* run(
    `INSERT INTO channel_posts (id, channel, chat, user_id, kind, text, thread_id, turn_id, call_id, source, messages,
                                created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '[]', ?)`,
    post.id,
    post.channel,
    post.chat,
    post.user,
    post.kind,
    post.text,
    post.threadId ?? null,
    post.turnId ?? null,
    post.callId ?? null,
    post.source ?? null,
    at,
  )
}

/** All buttons of a gate in one chat. */
export function* forgetButtons({ channel, chat, callId }: Pick<GateButton, 'channel' | 'chat' | 'callId'>): Job<void> {
  yield* run('DELETE FROM channel_buttons WHERE channel = ? AND chat = ? AND call_id = ?', channel, chat, callId)
}

/** Everything that was said, or is to be said, in a chat that is no longer paired. */
export function* forgetChat(channel: Door, chat: string): Job<void> {
  yield* run('DELETE FROM channel_posts WHERE channel = ? AND chat = ?', channel, chat)
  yield* run('DELETE FROM channel_buttons WHERE channel = ? AND chat = ?', channel, chat)
}

function* saveButtons({ buttons, ...gate }: GateQuestion): Job<void> {
  yield* forgetButtons(gate)
  for (const [decision, id] of Object.entries(buttons)) {
    yield* run(
      `INSERT INTO channel_buttons (id, channel, chat, user_id, thread_id, call_id, decision, ends_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      gate.channel,
      gate.chat,
      gate.user,
      gate.threadId,
      gate.callId,
      decision,
      gate.endsAt,
    )
  }
}

function buttonOf(row: Row): GateButton {
  return {
    id: String(row['id']),
    channel: String(row['channel']) as Door,
    chat: String(row['chat']),
    user: userId(String(row['user_id'])),
    threadId: String(row['thread_id']),
    callId: String(row['call_id']),
    decision: String(row['decision']) as GateButton['decision'],
    endsAt: Number(row['ends_at']),
  }
}

function postOf(row: Row): Post {
  const text = (name: string): string | undefined => (row[name] === null ? undefined : String(row[name]))
  const [threadId, turnId, callId, source] = [text('thread_id'), text('turn_id'), text('call_id'), text('source')]
  return {
    id: String(row['id']),
    channel: String(row['channel']) as Door,
    chat: String(row['chat']),
    user: userId(String(row['user_id'])),
    kind: String(row['kind']) as Post['kind'],
    text: String(row['text']),
    ...withoutUndefined({ threadId, turnId, callId, source }),
    messages: JSON.parse(String(row['messages'])) as string[],
  }
}
