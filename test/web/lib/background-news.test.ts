// What a page in the background tells: turns that ended or failed since it was looked at, and requests that came.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Look, newsSince } from '../../../web/lib/background-news.ts'

const thread = (id: string, state: Look['threads'][number]['state'], title = `Thread ${id}`) => ({ id, title, state })
const gate = (id: string, threadId: string) => ({ id, thread_id: threadId, question: { text: 'Change a.txt?' } })

test('turns that ran before and rest now are news, each once', () => {
  const before = { threads: [thread('a', 'running'), thread('b', 'running'), thread('c', 'idle')], gates: [] }
  const now = { threads: [thread('a', 'idle'), thread('b', 'failed', ''), thread('c', 'idle')], gates: [] }
  assert.deepEqual(newsSince(before, now), [
    { type: 'done', threadId: 'a', title: 'Thread a' },
    { type: 'failed', threadId: 'b', title: 'Untitled' },
  ])
  assert.deepEqual(newsSince(now, now), [])
})

test('a request is news, and its thread is not done', () => {
  const before = { threads: [thread('a', 'running')], gates: [gate('old', 'a')] }
  const now = { threads: [thread('a', 'waiting')], gates: [gate('old', 'a'), gate('new', 'a')] }
  assert.deepEqual(newsSince(before, now), [
    { type: 'waiting', threadId: 'a', title: 'Thread a', text: 'Change a.txt?' },
  ])
})

test('a thread that runs on, or came meanwhile, is no news', () => {
  const now = { threads: [thread('a', 'running'), thread('new', 'idle')], gates: [] }
  assert.deepEqual(newsSince({ threads: [thread('a', 'running')], gates: [] }, now), [])
})
