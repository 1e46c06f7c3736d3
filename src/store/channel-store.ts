// Chat channels: their account, chats and codes. `channel-updates` has what an update causes, `channel-posts` what is said.
import type { ChannelRecords, PairedChat } from '#core/channel.ts'
import type { Door } from '#core/doors.ts'
import { userId } from '#core/ids.ts'
import type { ChannelStore } from '#core/store.ts'
import { bodiesOf } from './append-items.ts'
import { notify } from './change-signal.ts'
import { createPostStore, forgetChat } from './channel-posts.ts'
import { first, type Job, query, type Row, run, type Sql } from './sql.ts'
import { isTaken, takeEffect, takePairing, takePress, takeTurn } from './channel-updates.ts'
import type { StoreBase } from './store-base.ts'

/** Rows that one step of `prune` deletes of each table. */
const maxPruned = 1_000

export function createChannelStore({ sql, now, nextId, maxUserBytes = 0 }: Omit<StoreBase, 'seal'>): ChannelStore {
  const { lock } = sql
  const parts = () => ({ now: now(), lock, maxUserBytes, ids: { turn: nextId(), post: nextId() } })
  return {
    ...createPostStore({ sql, now, nextId }),
    ...accountVerbs(sql, now),
    addCode: ({ channel, hash, user, endsAt }) =>
      sql.write(function* () {
        yield* run('DELETE FROM channel_codes WHERE user_id = ? AND channel = ?', user, channel)
        yield* run(
          'INSERT INTO channel_codes (hash, channel, user_id, ends_at) VALUES (?, ?, ?, ?)',
          hash,
          channel,
          user,
          endsAt,
        )
      }),
    chat: (channel, chat) =>
      sql.read(function* () {
        const row = yield* first('SELECT * FROM channel_chats WHERE channel = ? AND chat = ?', channel, chat)
        return row && chatOf(row)
      }),
    unpair: (channel, user) =>
      sql.write(function* () {
        yield* run('DELETE FROM channel_codes WHERE user_id = ? AND channel = ?', user, channel)
        const row = yield* first(
          'DELETE FROM channel_chats WHERE user_id = ? AND channel = ? RETURNING chat',
          user,
          channel,
        )
        if (!row) return undefined
        const chat = String(row['chat'])
        yield* forgetChat(channel, chat)
        yield* notify(sql, { type: 'channels' })
        return chat
      }),
    taken: (updates) => sql.read(() => isTaken(updates)),
    takePairing: (updates, chat, pairing) => {
      const given = parts()
      return sql.write(() => takePairing(updates, chat, pairing, given))
    },
    takeEffect: (updates, chat, effect) => {
      const given = parts()
      return sql.write(() => takeEffect(updates, chat, effect, given))
    },
    async takeTurn(updates, chat, message) {
      const given = parts()
      const bodies = await bodiesOf(message.turn.input)
      return sql.write(() => takeTurn(updates, chat, message, { ...given, bodies }), bodies)
    },
    takePress: (updates, gate) => sql.write(() => takePress(updates, gate, now())),
    prune: (before, at) =>
      sql.write(function* () {
        yield* run(
          `DELETE FROM channel_updates WHERE (channel, account, id) IN (
             SELECT channel, account, id FROM channel_updates WHERE taken_at < ? ORDER BY taken_at LIMIT ?)`,
          before,
          maxPruned,
        )
        yield* run(
          'DELETE FROM channel_buttons WHERE id IN (SELECT id FROM channel_buttons WHERE ends_at < ? ORDER BY ends_at LIMIT ?)',
          at,
          maxPruned,
        )
        yield* run('DELETE FROM channel_codes WHERE ends_at < ?', at)
      }),
    eraseUser: (user) =>
      sql.write(function* () {
        for (const table of ['channel_chats', 'channel_codes', 'channel_posts', 'channel_buttons']) {
          yield* run(`DELETE FROM ${table} WHERE user_id = ?`, user)
        }
        yield* notify(sql, { type: 'channels' })
      }),
  }
}

type AccountVerbs = Pick<ChannelRecords, 'account' | 'connect' | 'disconnect'>

function accountVerbs(sql: Sql, now: () => number): AccountVerbs {
  return {
    account: (channel) =>
      sql.read(function* () {
        const row = yield* first('SELECT * FROM channel_accounts WHERE channel = ?', channel)
        return row && { channel, account: String(row['account']), name: String(row['name']) }
      }),
    connect: ({ channel, account, name }) =>
      sql.write(function* () {
        const row = yield* first('SELECT account FROM channel_accounts WHERE channel = ?', channel)
        // The messages of another account have other ids, and its chats have never heard of this one.
        if (row && row['account'] !== account) yield* forgetChannel(channel)
        yield* run(
          `INSERT INTO channel_accounts (channel, account, name, connected_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (channel) DO UPDATE SET account = excluded.account, name = excluded.name,
                                               connected_at = excluded.connected_at`,
          channel,
          account,
          name,
          now(),
        )
        yield* notify(sql, { type: 'channels' })
      }),
    disconnect: (channel) =>
      sql.write(function* () {
        const row = yield* first('DELETE FROM channel_accounts WHERE channel = ? RETURNING account', channel)
        yield* forgetChannel(channel)
        yield* notify(sql, { type: 'channels' })
        return row !== undefined
      }),
  }
}

/** Updates that were taken stay: their ids are unique for an account. */
function* forgetChannel(channel: Door): Job<void> {
  const chats = yield* query('SELECT chat FROM channel_chats WHERE channel = ?', channel)
  for (const row of chats) yield* forgetChat(channel, String(row['chat']))
  yield* run('DELETE FROM channel_posts WHERE channel = ?', channel)
  yield* run('DELETE FROM channel_chats WHERE channel = ?', channel)
  yield* run('DELETE FROM channel_codes WHERE channel = ?', channel)
}

function chatOf(row: Row): PairedChat {
  return {
    channel: String(row['channel']) as Door,
    chat: String(row['chat']),
    user: userId(String(row['user_id'])),
    ...(row['thread_id'] !== null && { threadId: String(row['thread_id']) }),
  }
}
