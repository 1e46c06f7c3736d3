// A gate as JSON.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Gate } from '#core/item.ts'
import { asWritten, gateWire } from '#doors/web/gate-wire.ts'

const gate: Gate = { type: 'gate', callId: 'c', kind: 'approval', name: 'f', args: '{"a":1}', prompt: 'p' }
const question = { text: 'Write a.txt?', brief: 'Write a.txt', sentence: 'Nothing yet.', pending: 'Nothing yet.' }

describe('arguments', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  it('are parsed with every number as written, up to 100 levels', () => {
    for (const args of ['{"a":12345678901234567890,"b":1.0}', nested(100)]) {
      assert.equal(typeof asWritten(args), 'object')
      assert.equal(JSON.stringify(asWritten(args)), args)
    }
  })
  it('are text when they are no object or nested deeper', () => {
    for (const args of ['', '[1]', 'null', '"x"', '{"a":', nested(101)]) assert.equal(asWritten(args), args)
  })
})

describe('a gate', () => {
  it('without anything special is shown by its arguments, and tells nothing that it does not have', () => {
    const { question: asked, scopes, ...wire } = gateWire(gate)
    assert.deepEqual(wire, {
      id: 'c',
      kind: 'approval',
      name: 'f',
      args: { a: 1 },
      prompt: 'p',
      preview: { type: 'arguments', fields: { a: 1 } },
      always: true,
    })
    assert.deepEqual(Object.keys(asked).toSorted(), ['brief', 'sentence', 'text'])
    assert.deepEqual(
      scopes.map(({ scope }) => scope),
      ['tool'],
    )
  })

  it('that can only be allowed once has no scopes', () => {
    for (const once of [{ once: true }, { kind: 'credential' }, { kind: 'input' }] as const) {
      const { always, scopes } = gateWire({ ...gate, ...once })
      assert.deepEqual([always, scopes], [false, []])
    }
  })

  it('never shows the state of its tool', () => {
    assert.ok(!JSON.stringify(gateWire({ ...gate, kind: 'input', state: 'hidden' })).includes('hidden'))
  })

  for (const [more, told] of [
    [{ reason: 'r' }, { reason: 'r' }],
    [{ why: 'w' }, { why: 'w' }],
    [{ taint: '' }, { taint: '' }],
    [{ secrets: ['k'] }, { secrets: ['k'] }],
    [{ credential: { tool: 't', secret: 's' } }, { credential: { tool: 't', secret: 's' } }],
    [
      { credential: { tool: 't', secret: 's', title: 'T', of: 'mcp' } },
      { credential: { tool: 't', secret: 's', title: 'T', of: 'mcp' } },
    ],
    [
      { input: { type: 'link', server: 's', message: 'm', url: 'https://x.test' } },
      { input: { type: 'link', server: 's', message: 'm', url: 'https://x.test' } },
    ],
  ] satisfies [Partial<Gate>, object][]) {
    it(`tells ${JSON.stringify(more)}`, () => {
      const wire: Record<string, unknown> = gateWire({ ...gate, ...more })
      for (const [name, value] of Object.entries(told)) assert.deepEqual(wire[name], value)
    })
  }

  it('hints at the bounds of each field of a form', () => {
    const fields = [
      { name: 'n', type: 'integer', min: 1, max: 9 },
      { name: 'ok', type: 'boolean', required: true },
    ] as const
    const { input } = gateWire({ ...gate, kind: 'input', input: { type: 'form', server: 's', message: 'm', fields } })
    assert(input?.type === 'form')
    assert.deepEqual(
      input.fields.map(({ name, type }) => [name, type]),
      [
        ['n', 'integer'],
        ['ok', 'boolean'],
      ],
    )
    assert.match(JSON.stringify(input.fields[0]?.hint), /1.*9/)
  })

  for (const [preview, told] of [
    [
      { type: 'command', command: 'ls', cwd: 'src', timeoutSecs: 0 },
      { type: 'command', command: 'ls', cwd: 'src', timeout_secs: 0 },
    ],
    [
      { type: 'command', command: 'ls' },
      { type: 'command', command: 'ls' },
    ],
    [
      { type: 'diff', path: 'a', diff: '+b' },
      { type: 'diff', path: 'a', diff: '+b' },
    ],
    [
      { type: 'mission', schedule: 'S', prompt: 'P', tools: [], capUsd: 0 },
      { type: 'mission', schedule: 'S', prompt: 'P', tools: [], cap_usd: 0 },
    ],
    [
      { type: 'mission', schedule: 'S', prompt: 'P' },
      { type: 'mission', schedule: 'S', prompt: 'P' },
    ],
  ] as const) {
    it(`previews ${JSON.stringify(preview)}`, () => {
      const wire = gateWire({ ...gate, asks: { question, preview } })
      const { pending: _, ...asked } = question
      assert.deepEqual([wire.preview, wire.question], [told, asked])
    })
  }
})
