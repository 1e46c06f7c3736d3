// Rows of long items leave the event loop to others while they are read and parsed.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { convertInPace } from '#store/long-rows.ts'
import { openStore } from '#store/open-store.ts'
import { itemOf } from '#store/rows.ts'
import { loopTurns } from '../loop-turns.ts'
import { ada, draft, finish, folder, lease, reply, say, step, turnOf } from './harness.ts'
import { openMemoryStore } from './memory-store.ts'

test('a long item is parsed in pieces', async (t) => {
  const item = { type: 'message', role: 'user', content: [{ type: 'text', text: '"\n'.repeat(1_000_000) }] }
  const rows = [{ body: JSON.stringify(item) }, { body: '{"type":"reasoning","text":"b"}' }]
  let items: unknown
  const turns = await loopTurns(t, async () => {
    items = await convertInPace(rows, itemOf)
  })
  assert.deepEqual(items, [item, { type: 'reasoning', text: 'b' }])
  assert.ok(turns > 30, `${turns} turns of the event loop`)
})

test('long items are read from a file beside the event loop, as they were stored', async (t) => {
  const store = openStore({ path: join(folder(t), 'a.db'), seal: createSeal('k'.repeat(64)) })
  t.after(() => store.close())
  const text = 'é"\n'.repeat(600_000)
  const { turn } = await store.turns.start(turnOf({ input: [say('short'), say(text)] }))
  const range = { after: 0, limit: 9 }
  const reads = {
    entries: async () => (await store.threads.entries(ada, turn.threadId, range)).entries.map(({ item }) => item),
    history: async () => (await store.threads.history(turn)).items,
  }
  for (const [name, read] of Object.entries(reads)) {
    let items: readonly unknown[] = []
    const turns = await loopTurns(t, async () => {
      items = await read()
    })
    assert.deepEqual(items, [say('short').item, say(text).item], name)
    assert.ok(turns > 30, `${turns} turns of the event loop`)
  }
})

test('a queued message that is long leaves the event loop to others when its turn is claimed', async (t) => {
  const store = openStore({ path: join(folder(t), 'a.db'), seal: createSeal('k'.repeat(64)) })
  t.after(() => store.close())
  const { turn } = await store.turns.start(turnOf())
  const long = say('é"\n'.repeat(600_000))
  await store.turns.start(turnOf({ threadId: turn.threadId, input: [long] }))
  await finish(store, turn)
  let items: unknown
  const turns = await loopTurns(t, async () => {
    const { started } = await store.turns.claim(lease, 1)
    items = started[0]?.entries.map(({ item }) => item)
  })
  assert.deepEqual(items, [long.item])
  assert.ok(turns > 30, `${turns} turns of the event loop`)
})

test('a list of turns whose replies have several items leaves the event loop to others', async (t) => {
  const store = openMemoryStore()
  t.after(() => store.close())
  for (let at = 0; at < 50; at++) {
    const { turn } = await store.turns.start(turnOf())
    const thought = draft({ type: 'reasoning', text: 'hm' })
    await store.turns.record(turn, lease, step([thought, reply('done')], { status: 'completed' }))
  }
  let replies: unknown[] = []
  const turns = await loopTurns(t, async () => {
    const { rows } = await store.turns.list(ada, { limit: 50 })
    replies = rows.map((row) => row.reply?.text)
  })
  assert.deepEqual(replies, Array(50).fill('done'))
  assert.ok(turns > 40, `${turns} turns of the event loop`)
})
