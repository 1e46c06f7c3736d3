// The texts at the beginning of a large message.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Part } from '#core/item.ts'
import { saidIn } from '#core/thread-index.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { messageIn, readSaid, readSaidIn } from '#store/read-said.ts'
import { openSqlite } from '#store/sqlite.ts'
import { drive } from './drive.ts'
import { call, folder, lease, reply, say, step, turnOf } from './harness.ts'

const said = (beginning: string): string => {
  const item = messageIn(beginning)
  return item.type === 'message' ? saidIn(item) : ''
}
const sizeOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + stored([{ type: 'text', text }]).length, 0)
const stored = (content: readonly Part[]): string => JSON.stringify({ type: 'message', role: 'user', content })

test('the texts before the first attachment are read, with their escapes', () => {
  const text = 'a "b" \\ \n ä 😀 \u0001 end'
  const photo: Part = { type: 'image', url: 'data:image/png;base64,AAAA' }
  assert.equal(said(stored([{ type: 'text', text }, photo])), text)
  assert.equal(
    said(
      stored([
        { type: 'text', text: 'one ', origin: 'mail' },
        { type: 'text', text: 'two' },
      ]),
    ),
    'one two',
  )
  assert.equal(said(stored([photo, { type: 'text', text }])), '')
  const framed: Part[] = [
    { type: 'text', text },
    { type: 'framing', text: 'planned' },
  ]
  assert.deepEqual([said(stored(framed)), saidIn({ content: framed })], [text, text], 'a framing is not said')
  assert.equal(said(stored([])), '')
})

test('a text is read up to where the beginning was cut, at every place', () => {
  const text = 'a "b" \\ \n \u0001 end'
  const whole = stored([
    { type: 'text', text },
    { type: 'text', text: 'more' },
  ])
  for (let end = 0; end <= whole.length; end++) {
    const read = said(whole.slice(0, end))
    assert.ok(`${text}more`.startsWith(read), `cut at ${end}: ${read}`)
  }
  assert.equal(said(whole), `${text}more`)
})

test('a long text full of escapes is read in one go', () => {
  const text = '"\n'.repeat(64 * 1024)
  assert.equal(said(stored([{ type: 'text', text }])), text.slice(0, 100_000))
})

test('messages are read up to a number and a size, the first whatever its size, and the next read goes on there', async (t) => {
  const path = join(folder(t), 'a.db')
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  const { turn } = await store.turns.start(turnOf({ input: [say('x'.repeat(900)), say('b'), say('c')] }))
  await store.turns.record(turn, lease, step([call('c1'), reply('d')]))
  const sql = openSqlite(path)
  t.after(() => sql.close())
  const read = async (range: { after?: number; upTo?: number; maxMessages?: number; maxBytes?: number }) => {
    const whole = { after: 0, upTo: 5, maxMessages: 9, maxBytes: 9_000, ...range }
    const { messages, through } = await sql.read(() => readSaidIn(turn.threadId, whole))
    return [messages.map(({ text }) => text.slice(0, 1)).join(''), through]
  }
  assert.deepEqual(await read({}), ['xbcd', 5])
  assert.deepEqual(await read({ upTo: 2 }), ['xb', 2])
  assert.deepEqual(await read({ maxMessages: 4 }), ['xbcd', 5])
  assert.deepEqual(await read({ maxMessages: 3 }), ['xbc', 4], 'what is no message is passed by')
  assert.deepEqual(await read({ maxMessages: 2 }), ['xb', 2])
  assert.deepEqual(await read({ maxBytes: 500 }), ['x', 1])
  assert.deepEqual(await read({ after: 1, maxBytes: 500 }), ['bcd', 5])
  assert.deepEqual(await read({ after: 5 }), ['', 5])
})

test('a message is read whole, whatever its size beside that of the others', async (t) => {
  const path = join(folder(t), 'a.db')
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  t.after(() => store.close())
  const texts = ['small', 'x'.repeat(4_100), 'y'.repeat(90_000), 'end']
  const { turn } = await store.turns.start(turnOf({ input: texts.map((text) => say(text)) }))
  const sql = openSqlite(path)
  t.after(() => sql.close())
  const range = { after: 0, upTo: 4, maxMessages: 9, maxBytes: 1_000_000 }
  const { messages, bytes } = await sql.read(() => readSaidIn(turn.threadId, range))
  assert.deepEqual(
    messages.map(({ seq, text }) => [seq, text]),
    texts.map((text, at) => [at + 1, text]),
  )
  assert.equal(bytes, sizeOf(texts))
})

test('the role of a message is read from its beginning', () => {
  const roles = [say('x'), reply('x')].map(({ item }) => messageIn(JSON.stringify(item)))
  assert.deepEqual(
    roles.map((item) => item.type === 'message' && item.role),
    ['user', 'assistant'],
  )
})

test('a message is read where it fits into what may still be read, a large one by its beginning', () => {
  const most = 256 * 1024
  const read = (bytes: number, maxBytes?: number, body = stored([{ type: 'text', text: 'words' }])) =>
    drive(readSaid('h', 1, maxBytes), ({ sql }) => [sql.includes('substr') ? { body } : { bytes: String(bytes) }])
      .result
  assert.deepEqual(read(100, 100), { text: 'words', bytes: 100 })
  assert.deepEqual(read(101, 100), { text: '', bytes: 0 })
  assert.deepEqual(read(most), { text: 'words', bytes: most })
  const cut = '{"type":"message","role":"user","content":[{"type":"text","text":"cut he'
  assert.deepEqual(read(most + 1, undefined, cut), { text: 'cut he', bytes: most })
  assert.deepEqual(read(most + 1, most - 1, cut), { text: '', bytes: 0 })
  const other = '{"type":"result","callId":"c","content":[{"type":"text","text":"no message'
  assert.deepEqual(read(most + 1, undefined, other), { text: '', bytes: most })
  const gone = drive(readSaid('h', 1), () => []).result
  assert.deepEqual(gone, { text: '', bytes: 0 })
})
