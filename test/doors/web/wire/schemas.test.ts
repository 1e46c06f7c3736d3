// The schemas of answers keep the fields that are listed here: the OpenAPI document and the browser app are made from them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as z from 'zod/mini'
import { AnsweredAnswer, GatesAnswer, GateWire, GrantsAnswer } from '#doors/web/wire/gate.ts'
import { NotificationsAnswer, OutboxAnswer, TestAnswer } from '#doors/web/wire/notification.ts'
import { ReceiptWire } from '#doors/web/wire/receipt.ts'
import { FoundAnswer, ThreadAnswer, ThreadsAnswer } from '#doors/web/wire/thread.ts'
import { FaultWire, UsageWire } from '#doors/web/wire/turn.ts'

const time = '2026-01-31T00:00:00.000Z'
const question = { text: 'Change a?', code: 'a', brief: 'Change a', sentence: 'It changes a.', host: 'a' }
const gate = {
  id: 'c',
  kind: 'approval',
  name: 'f',
  args: { a: 1 },
  prompt: 'p',
  question,
  preview: { type: 'arguments', fields: { a: 1 } },
  reason: 'r',
  why: 'w',
  taint: 't',
  always: true,
  scopes: [{ scope: 'file', clean: true, target: 'a', words: 'in a' }],
  secrets: ['k'],
  credential: { tool: 't', secret: 's', title: 'T', of: 'mcp' },
  input: { type: 'link', server: 's', message: 'm', url: 'https://x.test' },
}
const turn = { thread_id: 'h', turn_id: 't' }
const waiting = { ...gate, ...turn, door: 'web', sender: 'shop', created_at: time, expires_at: time }
const decided = { decision: 'allow', by: 'ada', scope: 'tool', until: time }
const grant = { id: 'g', user: 'ada', tool: 'f', scope: 'target', target: 'a', untrusted: true, by: 'ada', uses: 1 }

const previews = [
  { type: 'diff', path: 'a', diff: '+b' },
  { type: 'request', method: 'GET', url: 'https://x.test', headers: { a: 'b' }, body: 'x' },
  { type: 'command', command: 'ls', cwd: 'src', timeout_secs: 5 },
  { type: 'document', path: 'a', content: 'x', diff: '+x' },
]
const head = { name: 'n', title: 'N', description: 'd', required: true, hint: 'h' }
const bounds = { min: 1, max: 9 }
const options = [{ value: 'a', title: 'A' }]
const fields = [
  { ...head, ...bounds, type: 'text', format: 'email', default: 'x' },
  { ...head, ...bounds, type: 'integer', default: 1 },
  { ...head, type: 'boolean', default: true },
  { ...head, type: 'choice', options, default: 'a' },
  { ...head, ...bounds, type: 'choices', options, default: ['a'] },
]
const gates = [
  ...previews.map((preview) => ({ ...gate, preview })),
  { ...gate, input: { type: 'form', server: 's', message: 'm', fields } },
]

const way = { id: 'w', kind: 'ntfy', events: ['failed'], content: true, label: 'l', url: 'u', created_at: time }
const entry = { id: 'e', user: 'ada', way: 'w', event: 'failed', state: 'due', tries: 1, at: time, created_at: time }

const thread = { id: 'h', title: 'T', door: 'web', created_at: time, updated_at: time, last_seq: 1, state: 'idle' }
const shelved = { ...thread, model: 'm', pinned: true, archived: true, family: 'h', hidden: true }
const queued = { id: 'i', turn_id: 't', at: time }
const { id: _, ...asked } = gate
const items = [
  {
    type: 'message',
    role: 'user',
    content: [
      { type: 'text', text: 'x', origin: 'o' },
      { type: 'image', url: 'u' },
      { type: 'file', name: 'a.pdf', text: 'x', pages: { all: 3, read: 1 } },
    ],
    cut: true,
  },
  { type: 'reasoning', text: 'x' },
  { type: 'call', call_id: 'c', name: 'f', args: {} },
  { type: 'attempt', call_id: 'c' },
  { type: 'result', call_id: 'c', output: 'x', error: true, origin: 'o' },
  { ...asked, type: 'gate', call_id: 'c' },
  { ...decided, type: 'answer', call_id: 'c', output: 'x' },
  { type: 'summary', text: 'x', up_to: 1 },
]
const shown = {
  thread: shelved,
  items: items.map((item, seq) => ({ ...item, ...queued, seq })),
  next_after: 1,
  queued: items.map((item) => ({ ...item, ...queued })),
  variants: [{ seq: 1, threads: ['h'], at: 0 }],
  origin: { id: 'h', title: 'T', seq: 1 },
}

const limits = [
  { kind: 'steps', max: 5 },
  { kind: 'same_call', max: 5, tool: 'f' },
  { kind: 'spend_per_day', max_usd: 1, spent_usd: 1, next_usd: 1, held_usd: 1 },
]
const tokens = { input_tokens: 1, output_tokens: 1 }
const usage = {
  ...tokens,
  input_tokens_details: { cached_tokens: 1 },
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 2,
  cost_usd: null,
  model: 'm',
}
const called = { model: 'm', host: 'h', secret: 's', ...tokens, cached_tokens: 1, cost_usd: 1, ms: 1, estimated: true }
const sent = [{ method: 'GET', host: 'h', times: 1 }]
const receipt = {
  ...turn,
  door: 'web',
  user: 'ada',
  status: 'failed',
  started_at: time,
  ended_at: null,
  error: { code: 'c', message: 'm' },
  model_calls: [called],
  tools: [{ call_id: 'c', name: 'f', ok: true, ms: 1, effects: 'keep', origin: 'o', hosts: ['h'], sent }],
  hosts: ['h'],
  secrets: ['s'],
  approvals: [{ ...decided, call_id: 'c', kind: 'input', at: time }],
  notes: [{ rule: 'r', where: 'w' }],
  cost_usd: 1,
  hash: 'x',
  verified: true,
}

const answers: readonly (readonly [what: string, schema: z.ZodMiniType, answer: object])[] = [
  ['open gates', GatesAnswer, { gates: [waiting] }],
  ['answered gates', AnsweredAnswer, { gates: [{ ...waiting, ...decided, answered_at: time, word: 'no' }] }],
  ...gates.map((each) => [`a gate with ${JSON.stringify(each.preview)}`, GateWire, each] as const),
  ['grants', GrantsAnswer, { grants: [{ ...grant, created_at: time, expires_at: null }] }],
  [
    'notifications',
    NotificationsAnswer,
    {
      ways: [way],
      removed: [{ id: 'w', kind: 'push', label: 'l', removed_at: time, because: 'b' }],
      quiet: { from: '22:00', to: '07:00', zone: 'UTC' },
      push_key: 'k',
    },
  ],
  ['a test of a way', TestAnswer, { outcome: 'later', error: 'busy' }],
  [
    'the outbox',
    OutboxAnswer,
    { outbox: [{ ...entry, thread_id: 'h', mission_id: 'm', error: 'no' }], next_cursor: 'x' },
  ],
  ['threads', ThreadsAnswer, { threads: [{ ...shelved, match: { seq: 1, snippet: 's' } }], next_cursor: null }],
  ['a thread', ThreadAnswer, shown],
  ['found words', FoundAnswer, { hits: [{ seq: 1, count: 2 }], next_after: 1 }],
  ...limits.map((limit) => [`a fault by ${limit.kind}`, FaultWire, { code: 'c', message: 'm', limit }] as const),
  ['usage', UsageWire, usage],
  ['a receipt', ReceiptWire, receipt],
]
for (const [what, schema, answer] of answers) {
  test(`${what}: every field is described`, () => assert.deepEqual(schema.parse(answer), answer))
}
