// The blocks of a thread: from its log, from what is being said, and from what is known of its turns.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Item, removedMessage, textMessage } from '#core/item.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import type { Block } from '#doors/terminal/block.ts'
import { createBlocks } from '#doors/terminal/blocks.ts'
import { entry, threadId, turn } from './fake.ts'

const told = (...items: Item[]) => [
  { type: 'entries' as const, entries: items.map((item, at) => entry(at + 1, item, 'one')) },
]
const known = (lastSeq: number, ...turns: ReturnType<typeof turn>[]) => {
  const thread = { ...turn('x', 'completed'), id: threadId, title: '', updatedAt: 0, state: 'idle' as const }
  return { ...thread, lastSeq, turns, queued: [] }
}
const shapes = (blocks: readonly Block[]): string[] =>
  blocks.map((block) => (block.type === 'call' ? `call ${block.name} ${block.state}` : block.type))

test('a call goes from running to done, and has its time and its result', () => {
  const blocks = createBlocks(() => 0)
  blocks.apply(told(textMessage('user', 'go'), { type: 'call', callId: 'c', name: 'read', args: '{}' }))
  assert.deepEqual(shapes(blocks.list()), ['you', 'call read running'])
  blocks.apply([
    {
      type: 'entries',
      entries: [
        entry(3, { type: 'attempt', callId: 'c' }, 'one'),
        entry(5, { type: 'result', callId: 'c', output: 'x'.repeat(100_000), origin: 'web' }, 'one'),
      ],
    },
  ])
  const [, call] = blocks.list()
  assert(call?.type === 'call')
  assert.deepEqual([call.state, call.ms, call.size, call.origin], ['done', 2_000, 100_000, 'web'])
  assert.equal(call.result?.length, 64 * 1024)
})

test('a running call tells how far it is', () => {
  const blocks = createBlocks(() => 0)
  blocks.apply(told({ type: 'call', callId: 'c', name: 'copy', args: '{}' }))
  const report = { type: 'progress', turnId: 'one', callId: 'c', progress: 3, total: 4, message: 'files' } as const
  blocks.apply([report, { ...report, callId: 'unknown' }])
  const [call] = blocks.list()
  assert.equal(call?.type === 'call' && call.progress, '75 %, files')
})

test('a gate waits; what is denied stays so when its result arrives', () => {
  const blocks = createBlocks(() => 0)
  const gate = { type: 'gate', callId: 'c', kind: 'approval', name: 'write', args: '{}', prompt: '' } as const
  blocks.apply(told({ type: 'call', callId: 'c', name: 'write', args: '{}' }, gate))
  assert.deepEqual(shapes(blocks.list()), ['call write waiting'])
  const answer = { type: 'answer', callId: 'c', decision: 'deny', by: 'operator' } as const
  const result = { type: 'result', callId: 'c', output: 'no', error: true } as const
  blocks.apply([{ type: 'entries', entries: [entry(3, answer, 'one'), entry(4, result, 'one')] }])
  assert.deepEqual(shapes(blocks.list()), ['call write denied'])
})

test('pieces of a reply are put together by their place, and the whole one takes their place', () => {
  const blocks = createBlocks(() => 0)
  const delta = (offset: number, text: string) => ({ type: 'delta' as const, turnId: 'one', itemId: 'r', offset, text })
  blocks.apply([delta(0, 'Hel'), delta(3, 'lo\ud83d'), delta(6, '\ude00')])
  assert.deepEqual(blocks.list(), [{ type: 'reply', id: 'r', text: 'Hello\u{1f600}', whole: false }])
  // The same again: a watch that begins anew tells all of it.
  blocks.apply([{ type: 'snapshot', turnId: 'one', itemId: 'r', text: 'Hello' }, delta(5, '!')])
  assert.deepEqual(blocks.list(), [{ type: 'reply', id: 'r', text: 'Hello!', whole: false }])
  blocks.apply([{ type: 'entries', entries: [{ ...entry(1, textMessage('assistant', 'Hello.')), id: 'r' }] }])
  blocks.apply([delta(6, 'late')])
  assert.deepEqual(blocks.list(), [{ type: 'reply', id: 'r', text: 'Hello.', whole: true }])
})

test('items that an API client adds to its conversation are no running turn', () => {
  const blocks = createBlocks(() => 0)
  blocks.know(known(0))
  blocks.apply([{ type: 'entries', entries: [entry(1, textMessage('user', 'go'), threadId)] }])
  assert.deepEqual([shapes(blocks.list()), blocks.turn()], [['you'], undefined])
})

test('a message that was removed is not shown', () => {
  const blocks = createBlocks(() => 0)
  blocks.apply(told(textMessage('user', 'go'), removedMessage, textMessage('assistant', 'Done.')))
  assert.deepEqual(shapes(blocks.list()), ['you', 'reply'])
})

test('an item that is told twice counts once', () => {
  const blocks = createBlocks(() => 0)
  const asked = { model: 'm', ms: 1, usage: { ...noUsage, inputTokens: 3 } }
  const call = { ...entry(1, { type: 'call', callId: 'c', name: 'read', args: '{}' }, 'one'), asked }
  const result = entry(2, { type: 'result', callId: 'c', output: 'ok' }, 'one')
  blocks.apply([{ type: 'entries', entries: [call, result] }])
  blocks.apply([{ type: 'entries', entries: [call] }])
  assert.deepEqual(shapes(blocks.list()), ['call read done'])
  assert.equal(blocks.usage().inputTokens, 3)
})

test('what was being said stays until its turn ends without storing it, and nothing is doubled', () => {
  const blocks = createBlocks(() => 0)
  blocks.apply(told(textMessage('user', 'go')))
  blocks.apply([{ type: 'delta', turnId: 'one', itemId: 'r', offset: 0, text: 'Hel' }])
  // A new watch begins, and another turn ends.
  blocks.know(known(1, turn('one', 'running')))
  blocks.apply([...told(textMessage('user', 'go')), { type: 'turn', turn: turn('two', 'completed') }])
  assert.deepEqual(shapes(blocks.list()), ['you', 'reply'])
  assert.equal(blocks.seq, 1)
  blocks.know(known(1, turn('one', 'cancelled')))
  assert.deepEqual(shapes(blocks.list()), ['you', 'note', 'receipt'])
})

test('what a lost attempt has said and thought is gone once the next one has begun, or has stored something', () => {
  const piece = (type: 'delta' | 'thought', itemId: string, firstId: string) =>
    ({ type, turnId: 'one', itemId, firstId, offset: 0, text: itemId }) as const
  const texts = (blocks: readonly Block[]) => blocks.flatMap((block) => ('text' in block ? [block.text] : []))
  const blocks = createBlocks(() => 0)
  blocks.apply(told(textMessage('user', 'go')))
  blocks.apply([piece('thought', 'j1', 'j1'), piece('delta', 'j2', 'j1')])
  assert.deepEqual(texts(blocks.list()), ['go', 'j1', 'j2'])
  blocks.apply([piece('thought', 'k1', 'k1')])
  assert.deepEqual(texts(blocks.list()), ['go', 'k1'])
  blocks.apply([piece('delta', 'k2', 'k1')])
  assert.deepEqual(texts(blocks.list()), ['go', 'k1', 'k2'])
  const call = entry(2, { type: 'call', callId: 'c', name: 'read', args: '{}' }, 'one')
  blocks.apply([{ type: 'entries', entries: [{ ...call, id: 'l1' }] }])
  assert.deepEqual(shapes(blocks.list()), ['you', 'call read running'])
})

test('a turn that runs is known by what happens in it, and ends with a receipt', () => {
  const blocks = createBlocks(() => 0)
  blocks.know(known(0))
  blocks.apply(told(textMessage('user', 'go')))
  assert.equal(blocks.turn()?.status, 'running')
  const asked = { model: 'm', ms: 1, usage: { ...noUsage, inputTokens: 3, outputTokens: 4 } }
  blocks.apply([{ type: 'entries', entries: [{ ...entry(2, textMessage('assistant', 'ok'), 'one'), asked }] }])
  blocks.apply([{ type: 'turn', turn: turn('one', 'completed', { lastSeq: 2 }) }])
  assert.equal(blocks.turn(), undefined)
  assert.deepEqual(shapes(blocks.list()), ['you', 'reply', 'receipt'])
  assert.deepEqual([blocks.usage().inputTokens, blocks.usage().outputTokens], [3, 4])
})

test('a turn of an earlier day does not run when its thread is opened', () => {
  const blocks = createBlocks(() => 0)
  blocks.know(known(2))
  blocks.apply(told(textMessage('user', 'go'), textMessage('assistant', 'ok')))
  assert.equal(blocks.turn(), undefined)
  assert.deepEqual(shapes(blocks.list()), ['you', 'reply', 'receipt'])
})

test('one that failed before its thread was opened says why, after its last item', () => {
  const blocks = createBlocks(() => 0)
  const error = { code: 'model_failed', message: 'it broke' } as const
  blocks.know(known(1, turn('one', 'failed', { lastSeq: 1, error })))
  blocks.apply(told(textMessage('user', 'go')))
  assert.deepEqual(shapes(blocks.list()), ['you', 'note', 'receipt'])
  const text = 'The model failed. It broke. Your message is kept.'
  assert.deepEqual(blocks.list()[1], { type: 'note', id: 'fault one', text, failed: true })
})

test('the receipt of a failed turn has the hosts of its calls in vain, and the time up to its end', () => {
  const blocks = createBlocks(() => 0)
  const unknown = { ...noUsage, costUsd: null }
  const lost = { model: 'm', via: { host: 'api.example' }, usage: unknown, ms: 2_000, failed: true } as const
  const row = { lastSeq: 1, startedAt: 900, endedAt: 3_700, failedCalls: [lost] } as const
  blocks.know(known(1, turn('one', 'failed', row)))
  blocks.apply(told(textMessage('user', 'go')))
  blocks.know(known(1, turn('one', 'failed', row)))
  assert.deepEqual(blocks.list().at(-1), {
    type: 'receipt',
    id: 'receipt one',
    took: { tools: 0, hosts: ['api.example'], usage: unknown, from: 900, to: 3_700 },
  })
  assert.deepEqual(blocks.usage(), unknown)
})

test('an incomplete text says why it ends: by a fault, by the reader, at the length limit', () => {
  const notes = (status: Turn['status'], error?: Turn['error']) => {
    const blocks = createBlocks(() => 0)
    blocks.know(known(0))
    blocks.apply(told(textMessage('user', 'go'), { ...textMessage('assistant', 'It is'), cut: true }))
    blocks.apply([{ type: 'turn', turn: turn('one', status, { lastSeq: 2, ...(error && { error }) }) }])
    return blocks.list().flatMap((block) => (block.type === 'note' ? [block.text] : []))
  }
  const fault = { code: 'model_failed', message: 'it broke' } as const
  assert.deepEqual(notes('failed', fault), ['The model broke off its answer. It broke. What was done is kept.'])
  assert.deepEqual(notes('cancelled'), ['■ Stopped'])
  assert.deepEqual(notes('completed'), ['The answer ends here: it reached the length limit of the model'])
})

test('one that waits is the turn of its thread; a queued message is shown until it enters the log', () => {
  const blocks = createBlocks(() => 0)
  blocks.know(known(1, turn('one', 'waiting')))
  blocks.apply(told(textMessage('user', 'go')))
  assert.deepEqual([blocks.turn()?.id, blocks.turn()?.status], ['one', 'waiting'])
  blocks.queue('two', 'later', [])
  assert.deepEqual(shapes(blocks.list()), ['you', 'you'])
  blocks.apply([{ type: 'entries', entries: [entry(2, textMessage('user', 'later'), 'two')] }])
  const own = blocks.list().filter(({ type }) => type === 'you')
  assert.deepEqual(
    own.map((block) => block.type === 'you' && [block.text, block.queued]),
    [
      ['go', false],
      ['later', false],
    ],
  )
})

test('a queued message that was removed leaves nothing behind, at once and when its thread is opened again', () => {
  const blocks = createBlocks(() => 0)
  blocks.know(known(1, turn('one', 'running')))
  blocks.apply(told(textMessage('user', 'go')))
  blocks.queue('two', 'later', [])
  blocks.apply([{ type: 'turn', turn: turn('two', 'cancelled') }])
  assert.deepEqual(shapes(blocks.list()), ['you'])
  const again = createBlocks(() => 0)
  again.know(known(1, turn('one', 'running'), turn('two', 'cancelled')))
  again.apply(told(textMessage('user', 'go')))
  assert.deepEqual(shapes(again.list()), ['you'])
})

test('what went with a message is named, not said; a thought is told where it has words', () => {
  const blocks = createBlocks(() => 0)
  const url = `data:image/png;base64,${Buffer.from('12345').toString('base64')}`
  blocks.apply(
    told(
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'file', name: 'a.log', text: 'all of it' },
          { type: 'image', url },
        ],
      },
      { type: 'reasoning', text: 'Let me see.' },
      { type: 'reasoning', text: '', seal: 'sealed' },
    ),
  )
  assert.deepEqual(shapes(blocks.list()), ['you', 'thought'])
  const [own] = blocks.list()
  assert(own?.type === 'you')
  assert.equal(own.text, 'look')
  assert.deepEqual(own.files, [
    { name: 'a.log', size: 9 },
    { name: 'picture', size: 5 },
  ])
})

test('a thought stands before what was said after it, though it is told later', () => {
  const blocks = createBlocks(() => 0)
  blocks.apply(told(textMessage('user', 'go')))
  blocks.apply([{ type: 'delta', turnId: 'one', itemId: 'r', offset: 0, text: 'Well' }])
  const entries = [
    entry(2, { type: 'reasoning', text: 'hm' }, 'one'),
    { ...entry(3, textMessage('assistant', 'Well.'), 'one'), id: 'r' },
  ]
  blocks.apply([{ type: 'entries', entries }])
  assert.deepEqual(shapes(blocks.list()), ['you', 'thought', 'reply'])
  blocks.fold('item 2', 'part')
  assert.deepEqual(blocks.list()[1], { type: 'thought', id: 'item 2', text: 'hm', fold: 'part' })
})

test('a piece of a thought that comes after its stored item changes nothing', () => {
  const blocks = createBlocks(() => 0)
  blocks.apply(told(textMessage('user', 'go')))
  blocks.apply([{ type: 'entries', entries: [entry(2, { type: 'reasoning', text: 'hm, well' }, 'one')] }])
  const before = blocks.list().slice()
  blocks.apply([{ type: 'thought', turnId: 'one', itemId: 'item 2', offset: 4, text: 'well' }])
  blocks.apply([{ type: 'entries', entries: [entry(3, textMessage('assistant', 'Yes.'), 'one')] }])
  assert.deepEqual(blocks.list().slice(0, 2), before)
})

test('a thought whose piece was lost shows the gap', () => {
  const blocks = createBlocks(() => 0)
  const think = (offset: number, text: string) =>
    blocks.apply([{ type: 'thought', turnId: 'one', itemId: 'item 1', offset, text }])
  think(6, 'this,')
  think(11, ' then')
  think(22, 'or that')
  think(27, 'at.')
  const [thought] = blocks.list()
  assert.equal(thought?.type === 'thought' && thought.text, '… this, then … or that.')
})

test('queued messages stay behind everything that happens, and follow what the thread says of them', () => {
  const blocks = createBlocks(() => 0)
  const waits = (turnId: string, text: string) => ({
    id: `i ${turnId}`,
    turnId,
    at: 0,
    item: textMessage('user', text),
  })
  blocks.know({ ...known(1, turn('one', 'running')), queued: [waits('two', 'later'), waits('three', 'last')] })
  blocks.apply(told(textMessage('user', 'go')))
  blocks.apply([{ type: 'delta', turnId: 'one', itemId: 'r', offset: 0, text: 'Hel' }])
  blocks.apply([{ type: 'entries', entries: [entry(2, { type: 'reasoning', text: 'Hm.' }, 'one')] }])
  assert.deepEqual(shapes(blocks.list()), ['you', 'thought', 'reply', 'you', 'you'])
  blocks.know({ ...known(2, turn('one', 'running')), queued: [waits('two', 'changed'), waits('three', 'last')] })
  assert.deepEqual(
    blocks.queued().map(({ turnId, text }) => [turnId, text]),
    [
      ['two', 'changed'],
      ['three', 'last'],
    ],
  )
  blocks.apply([{ type: 'turn', turn: turn('two', 'completed') }])
  assert.deepEqual(
    blocks.queued().map(({ turnId }) => turnId),
    ['three'],
  )
})

test('reasoning shows as it comes, once, and stays once it is stored', () => {
  const blocks = createBlocks(() => 0)
  blocks.know(known(0))
  blocks.apply(told(textMessage('user', 'go')))
  const think = (offset: number, text: string) =>
    blocks.apply([{ type: 'thought', turnId: 'one', itemId: 'item 2', offset, text }])
  think(0, 'First ')
  think(6, 'this.')
  blocks.apply([{ type: 'delta', turnId: 'one', itemId: 'r', offset: 0, text: 'Do' }])
  assert.deepEqual(shapes(blocks.list()), ['you', 'thought', 'reply'])
  blocks.fold('item 2', 'part')
  blocks.apply([{ type: 'entries', entries: [entry(2, { type: 'reasoning', text: 'First this.' }, 'one')] }])
  const [, thought] = blocks.list()
  assert.deepEqual(thought, { type: 'thought', id: 'item 2', text: 'First this.', fold: 'part' })
  blocks.apply([{ type: 'turn', turn: turn('one', 'completed') }])
  assert.deepEqual(shapes(blocks.list()), ['you', 'thought', 'receipt'])
})
