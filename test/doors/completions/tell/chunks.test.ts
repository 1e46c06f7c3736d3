// The chunks of a stream, from the events of a turn: each piece of text once, in order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delta } from '#core/event.ts'
import { userId } from '#core/ids.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { createStream, type StreamParts } from '#doors/completions/tell/chunks.ts'
import type { Watched } from '#turns/watch.ts'

const turn: Turn = {
  id: 'turn',
  threadId: 'thread',
  userId: userId('ada'),
  door: 'completions',
  status: 'running',
  options: {},
  createdAt: 0,
  usage: { ...noUsage, inputTokens: 3, outputTokens: 2 },
}
const delta = (text: string, itemId = 'a', more: Partial<Delta> = {}): Watched => ({
  type: 'delta',
  turnId: 'turn',
  itemId,
  offset: 0,
  text,
  ...more,
})
const entry = (id: string, item: Item, turnId = 'turn'): Entry => ({ id, seq: 1, turnId, at: 0, item })
const stored = (...entries: readonly Entry[]): Watched => ({ type: 'entries', entries })
const said = (id: string, text: string, turnId?: string): Watched =>
  stored(entry(id, textMessage('assistant', text), turnId))
const rests: Watched = { type: 'turn', turn: { ...turn, status: 'completed' } }

const opened = (more: Partial<StreamParts> = {}) =>
  createStream({
    id: 'c',
    createdAt: 1_999,
    model: 'm',
    includeUsage: false,
    turn,
    skip: 0,
    progress: false,
    link: 'https://atrium.example/threads/t',
    ...more,
  })

/** The chunks of a text, as values. */
function chunksIn(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((line) => line !== '')
    .map((line) => (line === 'data: [DONE]' ? 'done' : (JSON.parse(line.slice('data: '.length)) as unknown)))
}

function textsIn(text: string): string[] {
  return chunksIn(text).map(
    (chunk) => (chunk as { choices: { delta: { content: string } }[] }).choices[0]?.delta.content ?? '',
  )
}

const streams: readonly [what: string, events: readonly Watched[], texts: readonly string[]][] = [
  ['text as it comes', [delta('Hel'), delta('lo')], ['Hel', 'lo']],
  ['nothing again when it is stored', [delta('Hello'), said('a', 'Hello')], ['Hello']],
  ['the rest when it is stored', [delta('Hel'), said('a', 'Hello')], ['Hel', 'lo']],
  ['all of it when none was heard', [said('a', 'Hello')], ['Hello']],
  ['it once, though it is told twice', [said('a', 'Hello'), said('a', 'Hello')], ['Hello']],
  [
    'messages as paragraphs',
    [said('a', 'one'), delta('two', 'b', { after: 'a' }), said('b', 'two')],
    ['one', '\n\ntwo'],
  ],
  ['the next message behind the one before', [delta('one'), delta('two', 'b', { after: 'a' })], ['one', '\n\ntwo']],
  [
    'a message that was complete no more',
    [delta('one'), delta('two', 'b', { after: 'a' }), said('a', 'one')],
    ['one', '\n\ntwo'],
  ],
  ['nothing of another turn', [delta('x', 'a', { turnId: 'other' }), said('b', 'y', 'other')], []],
  ['no empty pieces', [delta(''), said('a', '')], []],
  ['nothing behind the end', [said('a', 'one'), rests, said('b', 'two')], ['one']],
]
for (const [what, events, texts] of streams) {
  test(`a stream tells ${what}`, () => {
    const stream = opened()
    assert.deepEqual(textsIn(stream.write(events)), texts)
    assert.equal(stream.content(), texts.join(''))
  })
}

test('the input of the turn is skipped', () => {
  const stream = opened({ skip: 1 })
  assert.deepEqual(textsIn(stream.write([said('i', 'an answer in the history'), said('a', 'new')])), ['new'])
})

test('a stream begins with the role and ends with the reason, the usage where it is asked for, and [DONE]', () => {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const stream = opened({ includeUsage: true })
  const choice = (delta_: object, finish_reason: string | null) => [{ index: 0, delta: delta_, finish_reason }]
  assert.deepEqual(chunksIn(stream.begin()), [
    { ...head, choices: choice({ role: 'assistant', content: null }, null), usage: null },
  ])
  stream.write([said('a', 'one'), { type: 'turn', turn: { ...turn, status: 'running' } }])
  const rest = (): string | undefined => stream.rest()?.status
  assert.equal(rest(), undefined)
  stream.write([rests])
  assert.equal(rest(), 'completed')
  const [last, usage, done] = chunksIn(stream.end())
  assert.deepEqual(last, { ...head, choices: choice({}, 'stop'), usage: null })
  assert.partialDeepStrictEqual(usage, {
    ...head,
    choices: [],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  })
  assert.equal(done, 'done')
  const plain = opened()
  plain.write([rests])
  assert.deepEqual(chunksIn(plain.end()), [{ ...head, choices: choice({}, 'stop') }, 'done'])
})

test('a turn that failed ends with its fault', () => {
  const stream = opened()
  stream.write([
    { type: 'turn', turn: { ...turn, status: 'failed', error: { code: 'model_failed', message: 'broke' } } },
  ])
  const [fault, done] = chunksIn(stream.end())
  assert.partialDeepStrictEqual(fault, { error: { code: 'model_failed' } })
  assert.equal(done, 'done')
})

test('progress is told only where it is wanted', () => {
  const thinks = stored(entry('r', { type: 'reasoning', text: 'Hm.' }))
  assert.equal(opened().write([thinks]), '')
  assert.match(opened({ progress: true }).write([thinks]), /"reasoning_content":"Hm\./)
  const thought = (turnId: string): Watched => ({ type: 'thought', turnId, itemId: 'r', offset: 0, text: 'Hm.' })
  assert.equal(opened().write([thought('turn')]), '')
  assert.equal(opened({ progress: true }).write([thought('other')]), '')
})

test('reasoning goes out as it comes, before the text, and not again when it is stored', () => {
  const stream = opened({ progress: true })
  const think = (itemId: string, offset: number, text: string): Watched => {
    return { type: 'thought', turnId: 'turn', itemId, offset, text }
  }
  const writes = [
    stream.write([think('a', 0, ' First '), think('a', 7, 'this.')]),
    stream.write([delta('Done.', 'b')]),
    // The stream joined too late for the beginning of this one.
    stream.write([think('c', 2, 'te.')]),
    stream.write([
      stored(
        entry('a', { type: 'reasoning', text: ' First this.' }),
        entry('b', textMessage('assistant', 'Done.')),
        entry('c', { type: 'reasoning', text: 'Late.' }),
      ),
    ]),
  ]
  const deltas = writes.map((text) =>
    chunksIn(text).map((chunk) => (chunk as { choices: { delta: unknown }[] }).choices[0]?.delta),
  )
  assert.deepEqual(deltas, [
    [{ reasoning_content: 'First ' }, { reasoning_content: 'this.' }],
    [{ reasoning_content: '\n' }, { content: 'Done.' }],
    [],
    [{ reasoning_content: 'Late.\n' }],
  ])
})
