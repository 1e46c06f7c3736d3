// The verbs of the operator's client behind the socket: which arguments each of them reads out of its body.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxAttachments } from '#core/page-limits.ts'
import { operatorVerbs, type Signals } from '#doors/local/operator-verbs.ts'
import { type Called, recordingClient } from './parts.ts'

type Verb = keyof typeof operatorVerbs

const png = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')}`
const bare = { threadId: undefined, files: [], model: undefined, command: undefined }

function signals() {
  const [left, closing] = [new AbortController(), new AbortController()]
  return { left, closing, given: { left: left.signal, closing: closing.signal } satisfies Signals }
}

async function call(verb: Verb, body: unknown): Promise<Called[]> {
  const called: Called[] = []
  // Before the promise: what a body lacks is thrown at once.
  await new Promise((resolve) => {
    resolve(operatorVerbs[verb](recordingClient(called), body, signals().given))
  })
  return called
}

const file = { type: 'file', name: 'a.log', text: 'words' }
const answer = { callId: 'c', decision: 'allow' }
const cases: readonly (readonly [verb: Verb, body: object, args: readonly unknown[]])[] = [
  ['send', { door: 'run', message: 'hi' }, [{ door: 'run', message: 'hi', ...bare }]],
  [
    'send',
    { door: 'terminal', message: 'hi', threadId: 't', model: 'm', command: '/x', files: [file, { url: png }] },
    [
      {
        door: 'terminal',
        message: 'hi',
        threadId: 't',
        model: 'm',
        command: '/x',
        files: [file, { type: 'image', url: png }],
      },
    ],
  ],
  [
    'send',
    { door: 'run', message: 'hi', files: Array.from({ length: maxAttachments }, () => file) },
    [{ door: 'run', message: 'hi', ...bare, files: Array.from({ length: maxAttachments }, () => file) }],
  ],
  ['answer', { threadId: 't', answer }, ['t', answer]],
  ['answer', { threadId: 't', answer: { ...answer, decision: 'deny' } }, ['t', { ...answer, decision: 'deny' }]],
  [
    'answer',
    { threadId: 't', answer: { ...answer, output: 'o', values: { a: 1 }, by: 'somebody' } },
    ['t', { ...answer, output: 'o', values: { a: 1 } }],
  ],
  ...['hour', 'day', 'good'].map((span) => {
    const given = { ...answer, grantRequest: { for: span } }
    return ['answer', { threadId: 't', answer: given }, ['t', given]] as const
  }),
  ...['tool', 'target', 'file'].map((scope) => {
    const given = { ...answer, grantRequest: { for: 'day', scope, untrusted: false } }
    return ['answer', { threadId: 't', answer: given }, ['t', given]] as const
  }),
  ['cancel', { turnId: 'u' }, ['u']],
  ['editQueued', { turnId: 'u', message: 'other' }, ['u', 'other']],
  ['removeQueued', { turnId: 'u' }, ['u']],
  ['stopAll', { threadId: 't' }, ['t']],
  ['thread', { threadId: 't' }, ['t']],
  ['threads', {}, []],
  ['gates', {}, []],
  ['receipt', { turnId: 'u' }, ['u']],
  ['status', {}, []],
  ['login', {}, [undefined]],
  ['login', { known: 'link' }, ['link']],
  ['models', {}, []],
  ['setModel', { threadId: 't', model: 'm' }, ['t', 'm']],
  ['setModel', { threadId: 't' }, ['t', null]],
  ['tools', {}, []],
  ['memory', { query: 'q' }, ['q']],
  ['skills', {}, []],
  ['missions', { do: 'list' }, [{ do: 'list' }]],
  ['notifications', { do: 'list' }, [{ do: 'list' }]],
]

for (const [verb, body, args] of cases) {
  test(`${verb} reads ${JSON.stringify(body).slice(0, 90)}`, async () =>
    assert.deepEqual(await call(verb, body), [[verb, ...args]]))
}

const faults: readonly (readonly [verb: Verb, body: unknown, says: RegExp])[] = [
  ['send', { door: 'web', message: 'x' }, /door must be run or terminal/],
  ['send', { door: 'run', message: 'x', model: 7 }, /model must be a string/],
  ['send', { door: 'run', message: 'x', files: 'x' }, /files must be a list/],
  ['send', { door: 'run', message: 'x', files: Array.from({ length: maxAttachments + 1 }, () => file) }, /at most/],
  ['send', { door: 'run', message: 'x', files: [{ type: 'file', name: 'a' }] }, /text must be a string/],
  ['send', { door: 'run', message: 'x', files: ['x'] }, /url must be a string/],
  ['send', { door: 'run', message: 'x', files: [{ url: 'https://a.example/a.png' }] }, /no model takes/],
  ['send', { door: 'run', message: 'x', files: [{ url: png.replace('png', 'gif') }] }, /no model takes/],
  ['answer', { threadId: 't', answer: 'x' }, /decision must be a string/],
  ['answer', { threadId: 't', answer: { ...answer, decision: 'ok' } }, /allow or deny/],
  ['answer', { threadId: 't', answer: { decision: 'allow' } }, /callId must be a string/],
  ['answer', { threadId: 't', answer: { ...answer, output: 7 } }, /output must be a string/],
  ['answer', { threadId: 't', answer: { ...answer, grantRequest: {} } }, /for must be a string/],
  ['answer', { threadId: 't', answer: { ...answer, grantRequest: { for: 'week' } } }, /must have for/],
  ['answer', { threadId: 't', answer: { ...answer, grantRequest: { for: 'day', scope: 'all' } } }, /must have for/],
  ['answer', { threadId: 't', answer: { ...answer, grantRequest: { for: 'day', untrusted: 1 } } }, /must have for/],
  ['setModel', { threadId: 't', model: 7 }, /model must be a string/],
  ['cancel', 'x', /turnId must be a string/],
  ['cancel', null, /turnId must be a string/],
  ['watch', null, /threadId must be a string/],
  ['answer', { threadId: 't', answer: null }, /decision must be a string/],
  ['answer', { threadId: 't' }, /decision must be a string/],
  ['answer', null, /threadId must be a string/],
  ['send', { door: 'run', message: 'x', files: [null] }, /url must be a string/],
  ['watch', { threadId: 't', after: '0' }, /after must be a number/],
]

for (const [verb, body, says] of faults) {
  test(`${verb} refuses ${JSON.stringify(body).slice(0, 90)}`, () =>
    assert.rejects(call(verb, body), { code: 'invalid_input', message: says }))
}

test('no request at all is an empty one', async () => {
  assert.deepEqual(await call('missions', null), [['missions', {}]])
  assert.deepEqual(await call('notifications', []), [['notifications', {}]])
})

test('a watch and the changes end with the caller or the door; a turn is followed while the door closes', () => {
  const bodies = { watch: { threadId: 't', after: 3 }, changes: {}, follow: { turnId: 'u' } } as const
  const ends = (['watch', 'changes', 'follow'] as const).map((verb) =>
    (['left', 'closing'] as const).map((which) => {
      const called: Called[] = []
      const both = signals()
      void operatorVerbs[verb](recordingClient(called), bodies[verb], both.given)
      both[which].abort()
      const [[, ...args] = []] = called
      const signal = args.pop() as AbortSignal
      return [...args, signal.aborted]
    }),
  )
  assert.deepEqual(ends, [
    [
      ['t', 3, true],
      ['t', 3, true],
    ],
    [[true], [true]],
    [
      ['u', true],
      ['u', false],
    ],
  ])
})
