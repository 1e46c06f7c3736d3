// Messages of a chat that become turns, and commands that reach turns, over turns and a store that note what is asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatEffect, PairedChat, Post } from '#core/channel.ts'
import { AppError, type ErrorCode } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { maxAttachedBytes, maxAttachments, maxPictureBytes, maxTextFileBytes } from '#core/page-limits.ts'
import type { FileRef } from '#doors/channel/channel.ts'
import {
  type IncomingMessage,
  maxFilesMs,
  takeMessage,
  takePairing,
  type TakeParts,
} from '#doors/channel/take-message.ts'
import { readPdf } from '#tools/web/pdf.ts'
import type { StartTurn } from '#turns/turns.ts'
import { withFakeClock } from '../../fake-clock.ts'
import { pdfOf } from '../../pdf.ts'

const chat: PairedChat = { channel: 'telegram', chat: '7', user: operator, pairedAt: 0, threadId: 't' }
const { threadId: _, ...withoutThread } = chat
const updates = { channel: 'telegram', account: '1', ids: [1] } as const
const message: IncomingMessage = { type: 'message', ids: [1], chat: '7', message: '5', text: 'hi', files: [] }
const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const text = (words: string) => ({ type: 'text', text: words })
const sent = (name: string, bytes?: number): FileRef => ({ id: name, name, ...(bytes !== undefined && { bytes }) })

type Play = {
  readonly start?: (turn: StartTurn) => void
  readonly posts?: readonly Partial<Post>[]
  readonly stopped?: Readonly<Record<string, { removed: readonly string[]; stopped?: string }>>
  readonly answered?: Post
  readonly status?: string
  readonly edit?: () => void
  readonly file?: (name: string) => Buffer | { fault: string }
  readonly readPdf?: TakeParts['readPdf']
  readonly filesMs?: number
}

function stage(play: Play = {}) {
  const effects: ChatEffect[] = []
  const started: StartTurn[] = []
  const taken: unknown[] = []
  const stops: string[] = []
  const edits: unknown[] = []
  const fetched: unknown[] = []
  let closed = 0
  const parts = {
    channel: {
      name: 'telegram',
      fetchFile({ name }: FileRef, maxBytes: number) {
        fetched.push([name, maxBytes])
        return Promise.resolve(play.file?.(name) ?? png)
      },
    },
    store: {
      taken: () => Promise.resolve(false),
      takeEffect: (_updates: unknown, _chat: unknown, effect: ChatEffect) => Promise.resolve(effects.push(effect) > 0),
      takeTurn: (_updates: unknown, _chat: unknown, given: unknown) => Promise.resolve(taken.push(given) > 0),
      takePairing: (_updates: unknown, from: string, { hash }: { hash: string }) =>
        Promise.resolve(taken.push([from, hash.length > 0]) > 0 ? { ...chat, chat: from } : undefined),
      posts: () => Promise.resolve(play.posts ?? []),
      answerTo: (...asked: readonly unknown[]) =>
        Promise.resolve(assert.deepEqual(asked, ['telegram', '7', '5']) ?? play.answered),
    },
    turns: {
      async startBy(turn: StartTurn, store: (stored: unknown) => Promise<unknown>) {
        started.push(turn)
        await Promise.resolve(play.start?.(turn))
        await store('stored')
        return { events: { close: () => closed++ } }
      },
      stopAll: (_user: unknown, id: string) => {
        stops.push(id)
        return Promise.resolve(play.stopped?.[id] ?? { removed: [] })
      },
      get: () => Promise.resolve(play.status && { id: 'u', userId: operator, status: play.status }),
      editQueued: async (...given: readonly unknown[]) => {
        edits.push(given)
        await Promise.resolve(play.edit?.())
      },
    },
    readPdf: play.readPdf ?? readPdf,
    threads: {
      list: (_user: unknown, { limit }: { limit: number }) =>
        Promise.resolve({ rows: ['a', 'b'].slice(0, limit).map((id) => ({ id, title: id, state: 'idle' })) }),
    },
  } as unknown as TakeParts
  const stopping = new AbortController()
  const filesTime = { leftMs: play.filesMs ?? maxFilesMs }
  const take = (over: Partial<IncomingMessage> = {}, of: PairedChat = chat) =>
    takeMessage(parts, { updates, chat: of, message: { ...message, ...over }, signal: stopping.signal, filesTime })
  return {
    take,
    stop: () => stopping.abort(),
    parts,
    effects,
    started,
    taken,
    stops,
    edits,
    fetched,
    closed: () => closed,
  }
}

const content = ([turn]: readonly StartTurn[]) => {
  const [input] = turn?.input ?? []
  return input?.type === 'message' ? input.content : undefined
}

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

test('files go with a message in their order', async () => {
  const { take, started, fetched } = stage({ file: (name) => Buffer.from(`the words of ${name}`) })
  await take({ files: [sent('b'), sent('a')] })
  const part = (name: string) => ({ type: 'file', name, text: `the words of ${name}` })
  assert.deepEqual(content(started), [text('hi'), part('b'), part('a')])
  assert.deepEqual(fetched, [
    ['b', maxPictureBytes],
    ['a', maxPictureBytes],
  ])
})

test('files need no words, but a message needs one of both', async () => {
  const picture = { type: 'image', url: `data:image/png;base64,${png.toString('base64')}` }
  const withFile = stage()
  await withFile.take({ text: '', files: [sent('a')] })
  assert.deepEqual(content(withFile.started), [picture])
  const empty = stage()
  await empty.take({ text: '' })
  assert.match(empty.effects[0]?.note ?? '', /^This message was not taken: .*empty/)
})

const pdf = (lines: readonly string[], options?: { locked: boolean }) => () => Buffer.from(pdfOf(lines, options))

test('a PDF goes with a message as the text of its pages', async () => {
  const { take, started } = stage({ file: pdf(['High water', 'Low water']) })
  await take({ files: [sent('tides.pdf')] })
  const words = '[page 1 of 2]\nHigh water\n\n[page 2 of 2]\nLow water'
  assert.deepEqual(content(started), [
    text('hi'),
    { type: 'file', name: 'tides.pdf', text: words, pages: { all: 2, read: 2 } },
  ])
})

test('PDFs of a chat wait with the others of its user', async () => {
  const users: unknown[] = []
  const { take } = stage({
    file: pdf(['x']),
    readPdf: (bytes, _signal, user) => (users.push(user), readPdf(bytes)),
  })
  await take({ files: [sent('a')] })
  assert.deepEqual(users, [operator])
})

/** Reads until it is given up. */
const endless: TakeParts['readPdf'] = (_bytes, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })

test('a PDF that takes too long is given up, and that is said', async () => {
  const { take, started, effects } = stage({ file: pdf(['x']), readPdf: endless, filesMs: 1 })
  await take({ files: [sent('slow.pdf')] })
  assert.match(effects[0]?.note ?? '', /^This message was not taken: slow\.pdf was not read in time/)
  assert.equal(started.length, 0)
})

test('files behind those that used up the time are refused unread, and that is said; words alone are taken', async (t) => {
  const { take, started, effects, fetched } = stage({ file: pdf(['x']), readPdf: endless })
  await withFakeClock(t, async () => {
    await take({ files: [sent('slow.pdf')] })
    await take({ files: [sent('next.pdf')] })
    await take()
  })
  assert.deepEqual([fetched.length, started.length, effects.length], [1, 1, 2])
  assert.match(effects[1]?.note ?? '', /^This message was not taken: the files before it took too long. Send it again/)
})

test('a message whose PDF is being read when the service stops is left for the next start', async () => {
  const { take, stop, started, effects } = stage({
    file: pdf(['x']),
    readPdf: (bytes, signal) => {
      const reading = endless(bytes, signal)
      stop()
      return reading
    },
  })
  await assert.rejects(take({ files: [sent('a')] }), { name: 'AbortError' })
  assert.deepEqual([started, effects], [[], []])
})

test('PDFs whose texts are too much together are refused, and that is said', async () => {
  const texts = ['x'.repeat(maxTextFileBytes - 100)]
  const of = (count: number) => ({ files: Array.from({ length: count }, () => sent('a')) })
  const play: Play = { file: pdf(['x']), readPdf: () => Promise.resolve({ title: '', pages: 1, texts }) }
  const most = stage(play)
  await most.take(of(10))
  const more = stage(play)
  await more.take(of(11))
  assert.deepEqual([most.started.length, more.started.length], [1, 0])
  assert.match(more.effects[0]?.note ?? '', /^This message was not taken: the text of the PDFs/)
})

const large = Buffer.concat([png, Buffer.alloc(maxAttachedBytes / 2 - png.length)])
const refusals: readonly (readonly [what: string, files: readonly FileRef[], file: Play['file'], says?: RegExp])[] = [
  ['as many files as are allowed', Array.from({ length: maxAttachments }, () => sent('a')), undefined],
  ['one file more', Array.from({ length: maxAttachments + 1 }, () => sent('a')), undefined, /at most 20 files/],
  ['a file as large as is allowed', [sent('a', maxPictureBytes)], undefined],
  ['a larger one', [sent('a', maxPictureBytes + 1)], undefined, /a is too large/],
  ['as much as is allowed together', [sent('a'), sent('b')], () => large],
  ['more than that', [sent('a'), sent('b'), sent('c')], (name) => (name === 'c' ? png : large), /all files together/],
  [
    'a PDF that needs a password',
    [sent('a')],
    pdf(['x'], { locked: true }),
    /a is a PDF that cannot be read: .*password/,
  ],
  ['a PDF of pictures', [sent('a')], pdf(['']), /a is a PDF without text/],
  ['a file that is not there', [sent('a')], () => ({ fault: 'HTTP 404' }), /a could not be fetched: HTTP 404/],
]

for (const [what, files, file, says] of refusals) {
  test(`a message with ${what} is ${says ? 'refused, and that is said' : 'taken'}`, async () => {
    const { take, started, effects } = stage(file && { file })
    await take({ files })
    if (says) assert.match(effects[0]?.note ?? '', says)
    assert.deepEqual([started.length, effects.length], says ? [0, 1] : [1, 0])
  })
}

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
