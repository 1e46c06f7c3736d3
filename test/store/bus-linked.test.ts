// The bus between processes, over a link in this one: who is told what, what is read, and what a broken link makes up for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Signal } from '#core/bus.ts'
import type { Event } from '#core/event.ts'
import { logTo } from '#lib/log.ts'
import { createLinkedBus } from '#store/bus-postgres.ts'
import { until } from '../until.ts'
import { ada, lease, reply, step } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'
import { announceMs, end, flushMs, hear, kinds, openThree, say, settled, textIn } from './three-buses.ts'

test('a watcher elsewhere hears text once, from its beginning, and the end with what was stored', async (t) => {
  const three = await openThree(t)
  const { here, there, elsewhere, turn, pass, carry, watch } = three
  say(here, turn, 0, 'ab')
  const heard = watch(there, { seq: 1, turn })
  await until(() => textIn(heard) === 'ab')
  say(here, turn, 2, 'c')
  say(here, turn, 3, 'd')
  pass(flushMs)
  await until(() => textIn(heard) === 'abcd')
  const late = watch(elsewhere, { seq: 1, turn })
  await until(() => textIn(late) === 'abcd')
  assert.equal(there.subscribe(turn.threadId, { seq: 1 }).partial?.text, 'abcd')
  await settled(three)
  assert.equal(textIn(heard), 'abcd', 'a second watcher repeats nothing for the first')
  await end(three)
  carry()
  await until(() => kinds(heard).includes('completed'))
  assert.deepEqual(kinds(heard).slice(-2), ['entries', 'completed'])
  assert.equal(there.subscribe(turn.threadId, { seq: 1 }).partial, undefined)
})

test('thoughts and progress are heard elsewhere as they are', async (t) => {
  const { here, there, turn, pass, watch, taken } = await openThree(t)
  const heard = watch(there, { seq: 1, turn })
  const thought = { type: 'thought', turnId: turn.id, itemId: 'r', offset: 0, text: 'hm' } as const
  const progress = { type: 'progress', turnId: turn.id, callId: 'c', progress: 1 } as const
  here.publish(turn.threadId, [thought, progress])
  pass(flushMs)
  await until(() => heard.length >= 2)
  assert.deepEqual(heard, [progress, thought])
  assert.deepEqual(taken(), ['watch', 'progress', 'thought'], 'and nobody answers')
})

test('what a process publishes its own watchers hear once, and it reads nothing for it', async (t) => {
  const three = await openThree(t)
  const { here, turn, taken, pass, watch } = three
  const heard = watch(here, { seq: 1, turn, here: true })
  assert.deepEqual(taken(), [], 'no other process is asked')
  pass(1)
  say(here, turn, 0, 'said')
  await end(three)
  pass(announceMs - 1)
  await settled(three)
  assert.deepEqual(kinds(heard), ['delta', 'entries', 'completed'])
  assert.deepEqual(taken(), [])
  pass(announceMs)
  assert.deepEqual(taken(), ['watch'], 'it may go on elsewhere')
  await settled(three)
  assert.equal(kinds(heard).filter((kind) => kind === 'entries').length, 1, 'what it has is not read again')
})

test('a gap in the text makes the watcher ask for all of it, but not at every message', async (t) => {
  const three = await openThree(t)
  const { here, there, turn, line, taken, pass, watch } = three
  const heard = watch(there, { seq: 1, turn })
  line.lost = true
  say(here, turn, 0, 'lost ')
  pass(flushMs)
  line.lost = false
  taken()
  say(here, turn, 5, 'and ')
  pass(flushMs)
  await settled(three)
  assert.deepEqual(taken(), ['text', 'watch'])
  say(here, turn, 9, 'more ')
  pass(flushMs)
  await until(() => textIn(heard) !== '')
  assert.equal(textIn(heard), 'lost and more ')
  line.lost = true
  say(here, turn, 14, 'gone ')
  pass(flushMs)
  line.lost = false
  taken()
  say(here, turn, 19, 'again')
  pass(flushMs)
  await settled(three)
  assert.deepEqual(taken(), ['text'], 'it asked less than a second ago')
  pass(1_000)
  say(here, turn, 24, '!')
  pass(flushMs)
  await settled(three)
  pass(0)
  await until(() => textIn(heard) === 'lost and more gone again!')
})

test('text of an item that is stored, or was started over, is not heard', async (t) => {
  const three = await openThree(t)
  const { here, there, store, turn, pass, carry, watch } = three
  const heard = watch(there, { seq: 1, turn })
  say(here, turn, 0, 'second', 'b')
  pass(flushMs)
  await until(() => textIn(heard) === 'second')
  say(here, turn, 0, 'first', 'a')
  pass(flushMs)
  await settled(three)
  const stored = reply('whole')
  const recorded = await store.turns.record(turn, lease, step([stored]))
  here.publish(turn.threadId, [{ type: 'entries', entries: recorded.entries }])
  carry()
  await until(() => kinds(heard).includes('entries'))
  say(here, turn, 0, 'wh', stored.id)
  pass(flushMs)
  await settled(three)
  assert.equal(textIn(heard), 'second')
})

test('lists are told to followers elsewhere', async (t) => {
  const { here, there, turn, carry, follow } = await openThree(t)
  const own = follow(there)
  here.publishChange(turn, { threadId: turn.threadId })
  carry()
  await until(() => own.length >= 3)
  // Each of the other two says that something may have happened before.
  assert.deepEqual(own, [{}, {}, { threadId: turn.threadId }])
})

test('a signal reaches every process once, the sender included', async (t) => {
  const { here, there, elsewhere, carry } = await openThree(t)
  const heard: [string, Signal][] = []
  for (const [name, bus] of Object.entries({ here, there, elsewhere })) {
    bus.onSignal((signal) => heard.push([name, signal]))
  }
  const signal = { type: 'removed', user: ada } as const
  here.signal(signal)
  carry()
  assert.deepEqual(heard, [
    ['here', signal],
    ['there', signal],
    ['elsewhere', signal],
  ])
})

test('after a broken link both sides read what they watch and follow, and look at everything else', async (t) => {
  const three = await openThree(t)
  const { here, there, turn, links, line, taken, carry, watch, follow } = three
  const heard = watch(there, { seq: 1, turn })
  const lists = [follow(there), follow(here)]
  await until(() => lists.every((list) => list.length > 0))
  for (const list of lists) list.length = 0
  const signals: string[] = []
  for (const [name, bus] of Object.entries({ here, there })) {
    bus.onSignal((signal) => signals.push(`${name} ${signal.type}${'what' in signal ? ` ${signal.what}` : ''}`))
  }
  line.lost = true
  await end(three)
  await settled(three)
  assert.ok(!kinds(heard).includes('completed'))
  line.lost = false
  taken()
  links[1]?.onReconnect()
  assert.deepEqual(taken(), ['missed', 'watch', 'follow'])
  carry()
  await until(() => kinds(heard).includes('completed') && lists.every((list) => list.length > 0))
  const all = ['queued', 'settings', 'notifications ways']
  assert.deepEqual(signals, [...all.map((type) => `there ${type}`), ...all.map((type) => `here ${type}`)])
  assert.deepEqual(
    lists.map((list) => list[0]),
    [{}, {}],
  )
})

test('the process that lost its link says again what it watches and follows', async (t) => {
  const { here, there, turn, links, line, pass, carry, watch, follow } = await openThree(t)
  line.lost = true
  const heard = watch(there, { seq: 1, turn })
  const list = follow(there)
  line.lost = false
  links[1]?.onReconnect()
  carry()
  say(here, turn, 0, 'told')
  here.publishChange(turn, { turnId: turn.id })
  pass(flushMs)
  await until(() => textIn(heard) === 'told' && list.some(({ turnId }) => turnId === turn.id))
})

test('watchers and followers are announced again and again, and a watched thread is read', async (t) => {
  const three = await openThree(t)
  const { there, turn, line, taken, pass, watch, follow } = three
  const heard = watch(there, { seq: 1, turn })
  follow(there)
  line.lost = true
  await end(three)
  line.lost = false
  taken()
  pass(announceMs)
  assert.deepEqual(taken().slice(0, 2), ['follow', 'watch'])
  await until(() => kinds(heard).includes('completed'))
  assert.equal(kinds(heard).filter((kind) => kind === 'entries').length, 1)
})

test('the end of a turn that was erased is heard as cancelled by whoever waits for it', async (t) => {
  const { there, store, turn, pass, watch } = await openThree(t)
  const waits = watch(there, { seq: 1, turn })
  await store.threads.remove(ada, turn.threadId)
  pass(announceMs)
  await until(() => kinds(waits).includes('cancelled'))
})

test('a thread is announced while anybody watches it, and no more when the last one has left', async (t) => {
  const { there, turn, taken, pass } = await openThree(t)
  const [one, two] = [0, 1].map(() => there.subscribe(turn.threadId, { seq: 1, turn }))
  one?.close()
  one?.close()
  taken()
  pass(announceMs)
  assert.deepEqual(taken(), ['watch'])
  two?.close()
  pass(announceMs)
  assert.deepEqual(taken(), [])
})

test('nothing of a text from elsewhere is kept once nobody watches; a text of this process is', async (t) => {
  const { here, there, turn, pass, carry } = await openThree(t)
  const own = here.subscribe(turn.threadId, { seq: 1, turn })
  const other = there.subscribe(turn.threadId, { seq: 1, turn })
  const heard = hear<Event>(other)
  carry()
  say(here, turn, 0, 'half')
  pass(flushMs)
  await until(() => textIn(heard) === 'half')
  own.close()
  other.close()
  assert.equal(here.subscribe(turn.threadId, { seq: 1, here: true }).partial?.text, 'half')
  assert.equal(there.subscribe(turn.threadId, { seq: 1, here: true }).partial, undefined)
})

test('a message that is queued here behind a turn elsewhere keeps nothing of its text', async (t) => {
  const { here, there, turn, watch, pass } = await openThree(t)
  const other = there.subscribe(turn.threadId, { seq: 1, turn })
  const heard = hear<Event>(other)
  watch(here, { seq: 1, turn, here: true })
  say(here, turn, 0, 'half')
  pass(flushMs)
  await until(() => textIn(heard) === 'half')
  there.publish(turn.threadId, [{ type: 'turn', turn: { ...turn, id: 'next', status: 'queued' } }])
  other.close()
  assert.equal(there.subscribe(turn.threadId, { seq: 1, here: true }).partial, undefined)
})

test('a message may come while the link opens', async (t) => {
  const sql = openMemorySqlite()
  const bus = await createLinkedBus({
    sql,
    log: logTo(() => {}, 'warn'),
    open({ onMessage }) {
      onMessage({ type: 'follow', user: ada, from: 'another process' })
      return Promise.resolve({ send: () => {}, close: () => Promise.resolve() })
    },
  })
  t.after(async () => {
    await bus.close()
    await sql.close()
  })
})
