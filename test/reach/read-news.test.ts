// What a message says of its thread, its mission or its gate, read at the moment it is sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Gate, Item } from '#core/item.ts'
import { textMessage } from '#core/item.ts'
import type { OutboxEntry } from '#core/notification.ts'
import { readNews, type ReadNewsParts } from '#reach/read-news.ts'
import { ada, bob } from '../store/harness.ts'

const gate: Gate = { type: 'gate', callId: 'c1', kind: 'approval', name: 'write', args: '{}', prompt: '?' }
const bare = { id: 'e', userId: ada, wayId: 'w', state: 'due', tries: 0, at: 0, createdAt: 0, held: false } as const
const ended: OutboxEntry = { ...bare, event: 'finished', threadId: 'h1', turnId: 't1' }
const waits: OutboxEntry = { ...bare, event: 'needs_you', threadId: 'h1', turnId: 't1', callId: 'c1' }
const failedMission: OutboxEntry = { ...bare, event: 'failed', missionId: 'm1' }

type Found = {
  readonly title?: string
  readonly mission?: object
  readonly gates?: readonly Gate[]
  readonly turn?: object
  readonly items?: readonly Item[]
}

/** A store with a thread, a mission and a turn of ada; `readNews` asks for nothing else. */
function partsOf({ title = 'Holiday', mission, gates = [], turn, items = [] }: Found): ReadNewsParts {
  const store = {
    threads: {
      get: (user: string, id: string) => Promise.resolve(user === ada && id === 'h1' ? { id, title } : undefined),
      entries: () => Promise.resolve({ entries: items.map((item, at) => ({ seq: at + 1, turnId: 't1', item })) }),
    },
    missions: {
      get: (user: string, id: string) => Promise.resolve(user === ada && id === 'm1' ? mission : undefined),
    },
    turns: {
      get: () => Promise.resolve(turn),
      openGates: () => Promise.resolve(gates.map((each) => ({ gate: each }))),
    },
  }
  const mask = (text: string, user: string): string => (user === ada ? text.replaceAll('hunter2', '***') : text)
  return { store: store as never, mask }
}

const completed = { id: 't1', userId: ada, threadId: 'h1', status: 'completed', lastSeq: 2 }
const plain = { content: false }
const full = { content: true }
const news = { event: 'finished', title: 'Holiday', threadId: 'h1', turnId: 't1' }

test('words of a thread are read only for ways that show them, and secrets in them are masked', async () => {
  const items = [textMessage('assistant', 'first'), textMessage('assistant', 'by hunter2'), textMessage('user', 'and?')]
  const parts = partsOf({ title: 'My hunter2', turn: completed, items })
  assert.deepEqual(await readNews(parts, ended, plain), { ...news, title: 'My ***' })
  assert.deepEqual(await readNews(parts, ended, full), { ...news, title: 'My ***', content: { text: 'by ***' } })
})

test('long words are cut, and no character in half', async () => {
  const items = [textMessage('assistant', `${'x'.repeat(699)}🦊`)]
  const parts = partsOf({ title: 'y'.repeat(201), turn: completed, items })
  const read = await readNews(parts, ended, full)
  assert.equal(read?.title, 'y'.repeat(200))
  assert.equal(read?.content?.text, `${'x'.repeat(699)}\u{fffd}`)
})

test('a turn without a reply has no words, a failed one its error, and a thread without a title a name', async () => {
  const text = async (found: Found) => (await readNews(partsOf(found), ended, full))?.content?.text
  assert.equal(await text({ turn: completed, items: [textMessage('user', 'hello')] }), '')
  assert.equal(await text({}), '')
  const failed = { ...completed, status: 'failed' }
  assert.equal(await text({ turn: { ...failed, error: { message: 'no model' } }, items: [gate] }), 'no model')
  assert.equal(await text({ turn: failed, items: [textMessage('assistant', 'half')] }), '')
  assert.equal((await readNews(partsOf({ title: '' }), ended, plain))?.title, 'Untitled')
})

test('a gate is told with its question and its preview, while it is open', async () => {
  const other = { ...gate, callId: 'c2', kind: 'input' } as Gate
  const question = { text: 'Change a?', brief: 'Change a', sentence: 'It changes a.', pending: 'Nothing yet.' }
  const preview = { type: 'diff', path: 'a', diff: '+hunter2' } as const
  const asked: Gate = { ...gate, asks: { question, preview } }
  const told = { ...news, event: 'needs_you', waitsFor: 'approval' }
  assert.deepEqual(await readNews(partsOf({ gates: [other, asked] }), waits, plain), told)
  assert.deepEqual(await readNews(partsOf({ gates: [other, asked] }), waits, full), {
    ...told,
    content: { text: 'Change a?\nIt changes a.\n+***', gate: asked },
  })
  const simple = await readNews(partsOf({ gates: [gate] }), waits, full)
  assert.equal(simple?.content?.text, 'Run write?\nNothing has happened yet.')
  assert.equal(await readNews(partsOf({ gates: [other] }), waits, full), undefined)
})

test('a mission is told by its own title, and as paused only where it failed', async () => {
  const mission = { title: 'Daily', status: 'paused' }
  const told = { event: 'failed', title: 'Daily', missionId: 'm1' }
  assert.deepEqual(await readNews(partsOf({ mission }), failedMission, full), { ...told, paused: true })
  const active = partsOf({ mission: { ...mission, status: 'active' } })
  assert.deepEqual(await readNews(active, failedMission, full), told)
  const run: OutboxEntry = { ...ended, missionId: 'm1' }
  assert.deepEqual(await readNews(partsOf({ mission }), run, plain), { ...news, title: 'Daily', missionId: 'm1' })
})

test('news of a thread or a mission that is gone, or of another user, is nothing', async () => {
  assert.equal(await readNews(partsOf({}), { ...ended, threadId: 'h2' }, plain), undefined)
  assert.equal(await readNews(partsOf({}), { ...ended, userId: bob }, plain), undefined)
  assert.equal(await readNews(partsOf({}), failedMission, plain), undefined)
  assert.equal(await readNews(partsOf({}), { ...ended, missionId: 'm1' }, plain), undefined)
})
