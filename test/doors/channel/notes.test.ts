// What the service itself says in a chat, pairing codes, and albums.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Thread } from '#core/turn.ts'
import { joinAlbum } from '#doors/channel/album.ts'
import { commandWords } from '#doors/channel/chat-commands.ts'
import { helpNote, pairedNote, statusNote, threadsNote } from '#doors/channel/notes.ts'
import { codeHash, newPairingCode } from '#doors/channel/pairing.ts'
import { ada } from '../../store/harness.ts'

const thread = (id: string, title: string, state: Thread['state'] = 'idle') => ({ id, title, state }) as Thread
const counts = { queued: 1, running: 2, waiting: 1, costToday: { costUsd: 0.5, unpricedCalls: 0 } } as never

test('the help names every command, and a new chat is greeted with it', () => {
  for (const [name, does] of Object.entries(commandWords)) assert.ok(helpNote.includes(`\n/${name}: ${does}`), name)
  assert.ok(pairedNote.endsWith(`\n\n${helpNote}`))
})

test('the status names the thread, what is going on, and the cost', () => {
  const lines = statusNote(counts, thread('t1', 'Milk\u0007', 'running')).split('\n')
  assert.match(lines[0] ?? '', /^Thread: Milk.* \(running\)$/)
  assert.ok(!lines[0]?.includes('\u0007'))
  assert.equal(lines[1], 'In all threads: 2 running, 1 queued, 1 question waiting for you')
  assert.match(lines[2] ?? '', /^Cost today: .*0\.5/)
  const unpriced = { queued: 0, running: 0, waiting: 0, costToday: { costUsd: null, unpricedCalls: 3 } } as never
  assert.match(statusNote(unpriced, undefined), /\nCost today: unknown$/)
  assert.match(statusNote(counts, undefined), /^Your next message begins a new thread\.\n/)
})

test('the list of threads numbers them, with their state and the one that is open', () => {
  const threads = [thread('t1', 'Milk'), thread('t2', 'Bread', 'waiting')]
  const list = (over: object) =>
    threadsNote(threads, { current: undefined, chosen: undefined, number: undefined, ...over })
  assert.equal(list({ current: 't2' }), '1. Milk\n2. Bread (waiting) (here)\n\n/threads 2 goes on in the second.')
  assert.equal(list({ chosen: threads[1], number: 2 }), 'You go on in: Bread')
  assert.equal(list({ number: 9 }), 'There is no thread 9 in the list: /threads shows it.')
  assert.equal(threadsNote([], { current: 't1', chosen: undefined, number: undefined }), 'There are no threads yet.')
})

test('a pairing code has twelve clear letters, ends after ten minutes, and is stored as a hash', () => {
  const { code, stored } = newPairingCode('telegram', ada, 1_000)
  assert.match(code, /^[A-HJ-NP-Z2-9]{12}$/)
  assert.deepEqual(stored, { channel: 'telegram', user: ada, hash: codeHash(code), endsAt: 601_000 })
  assert.ok(!stored.hash.includes(code))
  assert.equal(codeHash(code.toLowerCase()), stored.hash)
  assert.notEqual(newPairingCode('telegram', ada, 1_000).code, code)
  assert.equal(codeHash('x'.repeat(64)), codeHash('x'.repeat(65)))
  assert.notEqual(codeHash('x'.repeat(63)), codeHash('x'.repeat(64)))
})

test('the pictures of an album become one message with the first text', () => {
  const picture = (id: number, text = '') =>
    ({ type: 'message', ids: [id], chat: '7', message: `m${id}`, text, files: [{ id: `f${id}`, name: 'a' }] }) as const
  const [one, two, three] = [picture(1), picture(2, 'Holiday'), picture(3, 'Later')]
  assert.deepEqual(joinAlbum(joinAlbum(one, two), three), {
    ...one,
    ids: [1, 2, 3],
    text: 'Holiday',
    files: [...one.files, ...two.files, ...three.files],
    album: [one, two, three],
  })
})
