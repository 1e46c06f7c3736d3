// Messages of a tool's process, none of which is trusted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDone, readHostCall, readLogs } from '#sandbox/supervisor/messages.ts'

const body = Buffer.from('the body')
const request = { type: 'request', id: 1, method: 'GET', url: 'https://a.test/', headers: '{}' }

for (const [head, call] of [
  [request, request],
  [
    { ...request, hasBody: true },
    { ...request, body },
  ],
  [{ ...request, hasBody: 'yes', timeoutMs: '5' }, request],
  [
    { ...request, timeoutMs: 5, more: 1 },
    { ...request, timeoutMs: 5 },
  ],
  [
    { type: 'workspace', id: 2, path: 'a' },
    { type: 'workspace', id: 2, path: 'a' },
  ],
  [
    { type: 'invoke', id: 3, alias: 'b' },
    { type: 'invoke', id: 3, alias: 'b', params: 'the body' },
  ],
  [{ type: 'done' }, undefined],
  [[], undefined],
] as const) {
  test(`the host call ${JSON.stringify(head)}`, () => assert.deepEqual(readHostCall(head, body), call))
}

test('a host call without an id or a text is refused', () => {
  const { url: _, ...short } = request
  for (const head of [
    { ...request, id: '1' },
    { type: 'workspace', id: 1 },
    { type: 'invoke', id: 1, alias: 5 },
    short,
  ])
    assert.throws(() => readHostCall(head, body), /a host call without an id|a text is missing/)
})

test('log lines are bounded in number and length, and have a known level', () => {
  const line = (level: unknown, message = 'x') => ({ level, message })
  const levels = ['trace', 'debug', 'info', 'warn', 'error']
  assert.deepEqual(readLogs({ type: 'logs', lines: [...levels.map((level) => line(level)), line('loud'), 5] }), [
    ...levels.map((level) => line(level)),
    line('info'),
    { level: 'info', message: '' },
  ])
  const many = readLogs({ type: 'logs', lines: Array.from({ length: 1_001 }, () => line('info', 'y'.repeat(5_000))) })
  assert.deepEqual([many?.length, many?.[0]?.message.length], [1_000, 4_096])
  for (const head of [undefined, { type: 'logs' }, { type: 'done', lines: [] }]) assert.equal(readLogs(head), undefined)
})

const done = (result: unknown, over = {}) => checkDone({ type: 'done', result, ...over })

test('the end of a job has a result of a known kind, within its bounds', () => {
  assert.equal(checkDone({ type: 'ready' }), undefined)
  const most = 'x'.repeat(1_024 * 1_024)
  for (const result of [
    { type: 'output', output: most },
    { type: 'error', error: most },
    { type: 'described', schema: 'x'.repeat(64 * 1_024), description: 'x'.repeat(16 * 1_024) },
    { type: 'fault', code: 'memory_limit', message: 'no' },
  ])
    assert.deepEqual(done(result, { cpuMs: 7 }), { result, logs: [], cpuMs: 7 })
  assert.deepEqual(done({ type: 'fault', code: 'other', message: 'x'.repeat(501) }, { cpuMs: '7', logs: [5] }), {
    result: { type: 'fault', code: 'trap', message: 'x'.repeat(500) },
    logs: [{ level: 'info', message: '' }],
    cpuMs: 0,
  })
  for (const result of [
    undefined,
    { type: 'other' },
    { type: 'output' },
    { type: 'output', output: `${most}x` },
    { type: 'error', error: `${most}x` },
    { type: 'described', schema: 'é'.repeat(32 * 1_024 + 1), description: '' },
    { type: 'described', schema: '', description: 'x'.repeat(16 * 1_024 + 1) },
  ])
    assert.throws(() => done(result))
  for (const head of [undefined, 'x', { type: 'logs' }]) assert.throws(() => checkDone(head))
})
