// Chat channels: an update is taken once, with everything that it causes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PairedChat, Updates } from '#core/channel.ts'
import type { UserId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { removeUser } from '#turns/user-removal.ts'
import { ada, bob, finish, minuteMs, type Open, rejectsWith, turnOf } from './harness.ts'

const channel = 'telegram'
const updates = (...ids: number[]): Updates => ({ channel, account: '1', ids })

async function pair(store: Store, user: UserId, chat: string, id: number): Promise<PairedChat> {
  await store.channels.addCode({ channel, hash: `code of ${user}`, user, endsAt: Number.MAX_SAFE_INTEGER })
  const paired = await store.channels.takePairing(updates(id), chat, { hash: `code of ${user}`, note: 'hello' })
  return paired ?? assert.fail('not paired')
}

export function channelTests(open: Open): void {
  test('an account is connected; another one forgets the chats of the first', async (t) => {
    const { channels } = (await open(t)).store
    assert.equal(await channels.account(channel), undefined)
    const account = { channel, account: '1', name: '@one' } as const
    await channels.connect(account)
    await channels.addCode({ channel, hash: 'h', user: ada, endsAt: Number.MAX_SAFE_INTEGER })
    await channels.takePairing(updates(1), '7', { hash: 'h', note: '' })
    await channels.addCode({ channel, hash: 'later', user: bob, endsAt: Number.MAX_SAFE_INTEGER })
    const gate = { channel, chat: '7', callId: 'c1', threadId: 't', turnId: 'u', text: 'q', user: ada } as const
    await channels.addQuestion({ ...gate, endsAt: 1, buttons: { allow: 'b1' } })
    await channels.connect({ ...account, name: '@uno' })
    assert.equal((await channels.account(channel))?.name, '@uno')
    assert.equal((await channels.chat(channel, '7'))?.user, ada)
    await channels.connect({ ...account, account: '2' })
    assert.equal(await channels.chat(channel, '7'), undefined)
    assert.deepEqual([await channels.posts(channel), await channels.button('b1')], [[], undefined])
    assert.equal(await channels.takePairing(updates(2), '7', { hash: 'later', note: '' }), undefined)
    assert.deepEqual([await channels.disconnect(channel), await channels.disconnect(channel)], [true, false])
  })

  test('a code pairs one chat once, within its time; a user has one chat, a chat one user', async (t) => {
    const { store, clock } = await open(t)
    const { channels } = store
    await channels.addCode({ channel, hash: 'late', user: ada, endsAt: clock.now })
    assert.equal(await channels.takePairing(updates(1), '7', { hash: 'late', note: '' }), undefined)
    await channels.addCode({ channel, hash: 'replaced', user: ada, endsAt: clock.now + minuteMs })
    await channels.addCode({ channel, hash: 'good', user: ada, endsAt: clock.now + minuteMs })
    assert.equal(await channels.takePairing(updates(2), '7', { hash: 'replaced', note: '' }), undefined)
    const paired = await channels.takePairing(updates(3), '7', { hash: 'good', note: 'hello' })
    assert.deepEqual(paired, { channel, chat: '7', user: ada })
    assert.equal(await channels.takePairing(updates(4), '8', { hash: 'good', note: '' }), undefined)
    assert.deepEqual(
      (await channels.posts(channel)).map(({ chat, kind, text, messages }) => [chat, kind, text, messages]),
      [['7', 'note', 'hello', []]],
    )
    await channels.addCode({ channel, hash: 'again', user: ada, endsAt: clock.now + minuteMs })
    assert.equal(await channels.takePairing(updates(3), '8', { hash: 'again', note: '' }), undefined, 'taken before')
    await pair(store, bob, '7', 5)
    const users = async () => (await channels.posts(channel)).map(({ user, chat }) => `${user} ${chat}`)
    assert.deepEqual(await users(), ['bob 7'], 'what was said to the user before is gone')
    assert.equal((await channels.chat(channel, '7'))?.user, bob)
    await pair(store, bob, '9', 6)
    assert.equal(await channels.chat(channel, '7'), undefined)
    assert.deepEqual(await users(), ['bob 9'])
    await channels.addCode({ channel, hash: 'unused', user: bob, endsAt: clock.now + minuteMs })
    assert.deepEqual([await channels.unpair(channel, bob), await channels.unpair(channel, bob)], ['9', undefined])
    assert.deepEqual(await users(), [])
    assert.equal(await channels.takePairing(updates(7), '9', { hash: 'unused', note: '' }), undefined)
  })

  test('a message is stored as its turn with its update, once, and its thread is the chat’s', async (t) => {
    const { store } = await open(t)
    const { channels } = store
    const chat = await pair(store, ada, '7', 1)
    const message = { turn: turnOf({ door: channel }), source: '55' }
    const stored = (await channels.takeTurn(updates(2, 3), chat, message)) ?? assert.fail('not stored')
    assert.equal(await channels.takeTurn(updates(2, 3), chat, message), undefined)
    assert.equal(await channels.takeTurn(updates(3), chat, message), undefined)
    assert.equal((await store.turns.list(ada, { limit: 9 })).rows.length, 1)
    const { threadId } = stored.turn
    assert.equal((await channels.chat(channel, '7'))?.threadId, threadId)
    const post = (await channels.answerTo(channel, '7', '55')) ?? assert.fail('no post')
    const { id, ...said } = post
    const ids = { threadId, turnId: stored.turn.id, source: '55' }
    const place = { channel, chat: '7', user: ada } as const
    assert.deepEqual(said, { ...place, kind: 'turn', text: '', ...ids, messages: [] })
    assert.equal((await channels.post(id))?.id, id)
    assert.equal(await channels.takeEffect(updates(10), chat, { note: 'only this' }), true)
    assert.equal((await channels.chat(channel, '7'))?.threadId, threadId, 'a note changes no thread')
    assert.equal(await channels.takeEffect(updates(11), chat, { thread: 'other' }), true)
    assert.equal((await channels.chat(channel, '7'))?.threadId, 'other')
    assert.deepEqual(
      (await channels.posts(channel)).map(({ text }) => text),
      ['hello', '', 'only this'],
    )
    await channels.setMessages(post.id, ['60', '61'])
    assert.deepEqual((await channels.post(post.id))?.messages, ['60', '61'])
    await channels.finish(post.id)
    assert.equal(await channels.post(post.id), undefined)
    assert.equal(await channels.takeEffect(updates(4), chat, { thread: null, note: 'new' }), true)
    assert.equal(await channels.takeEffect(updates(4), chat, { note: 'again' }), false)
    assert.equal((await channels.chat(channel, '7'))?.threadId, undefined)
    assert.deepEqual(
      await Promise.all([updates(4), updates(5), { ...updates(4), account: '2' }].map((each) => channels.taken(each))),
      [true, false, false],
    )
  })

  test('a message of a chat that was unpaired meanwhile is taken and comes to nothing', async (t) => {
    const { store } = await open(t)
    const { channels } = store
    const chat = await pair(store, ada, '7', 1)
    const message = { turn: turnOf({ door: channel }), source: '55' }
    const tryBoth = async (...[one, two]: [number, number]): Promise<void> => {
      assert.equal(await channels.takeTurn(updates(one), chat, message), undefined)
      assert.equal(await channels.takeEffect(updates(two), chat, { thread: null, note: 'new' }), false)
      assert.deepEqual([await channels.taken(updates(one)), await channels.taken(updates(two))], [true, true])
      assert.equal((await store.turns.list(ada, { limit: 9 })).rows.length, 0)
      assert.deepEqual(
        (await channels.posts(channel)).filter(({ user, text }) => user === ada && text === 'new'),
        [],
      )
    }
    await channels.unpair(channel, ada)
    await tryBoth(2, 3)
    await pair(store, bob, '7', 4)
    await tryBoth(5, 6)
  })

  test('a turn that cannot be stored takes no update', async (t) => {
    const { store } = await open(t)
    const chat = await pair(store, ada, '7', 1)
    const turn = turnOf({ threadId: 'gone' })
    await rejectsWith(store.channels.takeTurn(updates(2), chat, { turn, source: '1' }), 'not_found')
    assert.equal(await store.channels.taken(updates(2)), false)
  })

  test('a gate is asked once in a chat of its user, and its buttons end together', async (t) => {
    const { store, clock } = await open(t)
    const { channels } = store
    await pair(store, ada, '7', 1)
    const gate = { channel, chat: '7', callId: 'c1' } as const
    const question = { ...gate, user: ada, threadId: 't', turnId: 'u', text: 'May I?', endsAt: clock.now + minuteMs }
    const buttons = { allow: 'b1', deny: 'b2' }
    assert.equal(await channels.addQuestion({ ...question, user: bob, buttons }), false)
    assert.equal(await channels.addQuestion({ ...question, buttons }), true)
    assert.equal(await channels.addQuestion({ ...question, buttons: { allow: 'b3' } }), false)
    const { turnId: _, text: __, ...bound } = question
    assert.deepEqual(await channels.button('b1'), { ...bound, id: 'b1', decision: 'allow' })
    assert.equal((await channels.buttonsOf(gate)).length, 2)
    const [, post] = await channels.posts(channel)
    assert.deepEqual(post, {
      ...gate,
      id: post?.id,
      user: ada,
      kind: 'gate',
      text: 'May I?',
      threadId: 't',
      turnId: 'u',
      messages: [],
    })
    assert.deepEqual(
      [await channels.takePress(updates(2), gate), await channels.takePress(updates(2), gate)],
      [true, false],
    )
    assert.deepEqual([await channels.button('b1'), await channels.button('b2')], [undefined, undefined])
    const other = { ...question, callId: 'c2', buttons: { deny: 'b4' } }
    assert.equal(await channels.addQuestion(other), true)
    assert.equal((await channels.button('b4'))?.decision, 'deny')
    await channels.finish((await channels.posts(channel)).find(({ callId }) => callId === 'c2')?.id ?? '')
    assert.equal(await channels.button('b4'), undefined, 'a question that is finished has no buttons')
  })

  test('what is old is pruned, and a removed user leaves nothing', async (t) => {
    const { store, clock } = await open(t)
    const { channels } = store
    const user = await store.accounts.addUser('eve', { hash: 'h' })
    const chat = await pair(store, user.id, '7', 1)
    const turn = turnOf({ user: user.id })
    const stored = (await channels.takeTurn(updates(2), chat, { turn, source: '5' })) ?? assert.fail('not stored')
    await finish(store, stored.turn)
    const gate = { channel, chat: '7', callId: 'c1', threadId: 't', turnId: 'u', text: 'q', user: user.id } as const
    await channels.addQuestion({ ...gate, endsAt: clock.now - 1, buttons: { deny: 'b1' } })
    await channels.prune(clock.now, clock.now)
    assert.deepEqual([await channels.taken(updates(1)), await channels.button('b1')], [true, undefined])
    await channels.prune(clock.now + 1, clock.now)
    assert.equal(await channels.taken(updates(1)), false)
    await removeUser({ store }, 'eve')
    assert.deepEqual([await channels.chat(channel, '7'), await channels.posts(channel)], [undefined, []])
  })
}
