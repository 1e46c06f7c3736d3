// Messages of a chat that become turns, and commands that reach turns, over turns and a store that note what is asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatEffect, PairedChat, Post } from '#core/channel.ts'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import type { IncomingMessage } from '#doors/channel/channel.ts'
import { takePairing } from '#doors/channel/take-message.ts'
import type { StartTurn } from '#turns/turns.ts'
import { chat, content, message, type Play, sent, stage, text, updates } from './take-stage.ts'

const { threadId: _, ...withoutThread } = chat

test('a message starts a turn of its chat in its thread, and answers visibly', async () => {
  const { take, started, taken, closed } = stage()
  await take()
  const input = [{ type: 'message', role: 'user', content: [text('hi')] }]
  assert.deepEqual(started, [
    { user: operator, door: 'telegram', input, options: {}, whenBusy: 'queue', threadId: 't' },
  ])
  assert.deepEqual([taken, closed()], [[{ turn: 'stored', source: '5' }], 1])
})

test('the first message of a chat begins a thread', async () => {
  const { take, started } = stage()
  await take({}, withoutThread)
  assert.equal('threadId' in (started[0] ?? {}), false)
})

test('a message of a thread that was deleted begins another; other refusals are said', async () => {
  const refuse = (code: ErrorCode) => (turn: StartTurn) => {
    if (turn.threadId !== undefined) throw new AppError(code, 'no such thread')
  }
  const deleted = stage({ start: refuse('not_found') })
  await deleted.take()
  assert.deepEqual(
    deleted.started.map(({ threadId }) => threadId),
    ['t', undefined],
  )
  const other = stage({ start: refuse('overloaded') })
  await other.take()
  assert.deepEqual([other.started.length, other.effects], [1, [{ note: 'This message was not taken: no such thread' }]])
  const fresh = stage({
    start: () => {
      throw new AppError('not_found', 'nobody')
    },
  })
  await fresh.take({}, withoutThread)
  assert.equal(fresh.started.length, 1)
})

test('a store that is away, or a bug, is no fault of the message: it is tried again', async () => {
  for (const fault of [new AppError('database_unavailable', 'away'), new Error('a bug')]) {
    const { take, effects } = stage({
      start: () => {
        throw fault
      },
    })
    await assert.rejects(take(), fault)
    assert.deepEqual(effects, [])
  }
})

test('a command with files, or in an edit, is a message', async () => {
  const { take, started } = stage()
  await take({ text: '/help', files: [sent('a')] })
  assert.equal(started.length, 1)
  const edited = stage({ status: 'queued', answered: { turnId: 'u' } as Post })
  await edited.take({ text: '/help', edited: true })
  assert.deepEqual(edited.edits, [[operator, 'u', '/help']])
})

test('/new makes the next message begin a thread, or begins one with its words', async () => {
  const bare = stage()
  await bare.take({ text: '/new' })
  assert.deepEqual(bare.effects, [{ thread: null, note: 'Your next message begins a new thread.' }])
  const words = stage()
  await words.take({ text: '/new about pears' })
  assert.deepEqual(content(words.started), [text('about pears')])
  assert.deepEqual(
    words.started.map(({ threadId }) => threadId),
    [undefined],
  )
  const long = stage()
  await long.take({ text: `/new ${'x'.repeat(2 * 1024 * 1024)}` })
  assert.deepEqual([long.started, long.effects.length], [[], 1])
})

const stopping: readonly (readonly [
  what: string,
  play: Play,
  of: PairedChat,
  stops: readonly string[],
  says: string,
])[] = [
  ['nothing', {}, withoutThread, [], 'Nothing is running.'],
  ['an idle thread', {}, chat, ['t'], 'Nothing is running.'],
  ['what runs', { stopped: { t: { removed: [], stopped: 'u' } } }, chat, ['t'], 'Stopped.'],
  ['what is queued', { stopped: { t: { removed: ['u'] } } }, chat, ['t'], 'Stopped.'],
  [
    'what the chat asked for in another thread, and not what others did',
    {
      posts: [
        { chat: '7', kind: 'turn', threadId: 's' },
        { chat: '7', kind: 'turn', threadId: 't' },
        { chat: '8', kind: 'turn', threadId: 'x' },
        { chat: '7', kind: 'gate', threadId: 'y' },
      ],
      stopped: { s: { removed: ['u'] } },
    },
    chat,
    ['s', 't'],
    'Stopped.',
  ],
]

for (const [what, play, of, stops, says] of stopping) {
  test(`/stop stops ${what}`, async () => {
    const { take, effects, stops: stopped } = stage(play)
    await take({ text: '/stop' }, of)
    assert.deepEqual([stopped, effects], [stops, [{ note: says }]])
  })
}

test('/threads chooses by the number in its list', async () => {
  for (const [words, thread] of [
    ['/threads 1', 'a'],
    ['/threads 2', 'b'],
    ['/threads 3', undefined],
    ['/threads 0', undefined],
    ['/threads', undefined],
  ] as const) {
    const { take, effects } = stage()
    await take({ text: words })
    assert.deepEqual([words, effects[0]?.thread], [words, thread])
    assert(effects[0]?.note)
  }
})

const answered = { turnId: 'u' } as Post
const tooLate = (state: string) => ({ note: `Your edit came too late: that message ${state}. Send a new one.` })
const begun = () => {
  throw new AppError('turn_started', 'begun')
}
const edits: readonly (readonly [what: string, play: Play, effect: ChatEffect, edited: number])[] = [
  ['of a queued message changes it', { answered, status: 'queued' }, {}, 1],
  [
    'of one that begins right now is too late',
    { answered, status: 'queued', edit: begun },
    tooLate('is being answered'),
    1,
  ],
  ['of one that is done is too late', { answered, status: 'completed' }, tooLate('is done'), 0],
  ['of one whose turn is gone is too late', { answered }, tooLate('is done'), 0],
  ['of what started no turn is too late', { answered: {} as Post, status: 'queued' }, tooLate('is done'), 0],
]

for (const [what, play, effect, count] of edits) {
  test(`an edit ${what}`, async () => {
    const { take, effects, edits: made } = stage(play)
    await take({ edited: true, text: 'better' })
    assert.deepEqual([effects, made.length], [[effect], count])
  })
}

test('an edit that fails for another reason is said, or tried again', async () => {
  const refused = stage({
    answered,
    status: 'queued',
    edit: () => {
      throw new AppError('too_large', 'too long')
    },
  })
  await refused.take({ edited: true })
  assert.deepEqual(refused.effects, [{ note: 'This message was not taken: too long' }])
})

const pairings: readonly (readonly [over: Partial<IncomingMessage>, paired: boolean])[] = [
  [{ text: '/start CODE' }, true],
  [{ text: '/start' }, false],
  [{ text: '/new CODE' }, false],
  [{ text: 'CODE' }, false],
  [{ text: '/start CODE', edited: true }, false],
]

for (const [over, paired] of pairings) {
  test(`${JSON.stringify(over)} ${paired ? 'pairs' : 'does not pair'} a chat`, async () => {
    const { parts, taken } = stage()
    const found = await takePairing(parts, updates, { ...message, ...over })
    assert.deepEqual([found?.chat, taken], paired ? ['7', [['7', true]]] : [undefined, []])
  })
}

test('a code in a paired chat pairs it anew; without one, or with a wrong one, there is help', async () => {
  const again = stage()
  await again.take({ text: '/start CODE' })
  assert.deepEqual([again.taken, again.effects], [[['7', true]], []])
  const bare = stage()
  await bare.take({ text: '/start' })
  assert.match(bare.effects[0]?.note ?? '', /\/help/)
})
