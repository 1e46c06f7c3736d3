// The words of a gate, and what it can grant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Preview } from '#core/question.ts'
import { previewText, scopesOfGate } from '#safety/gate-question.ts'

test('an approval can be granted for longer; one for once, a sign-in and a form cannot', () => {
  const gate = { kind: 'approval', name: 'web_request', args: '{"url":"https://a.example/x"}' } as const
  assert.notEqual(scopesOfGate(gate).length, 0)
  assert.deepEqual(scopesOfGate({ ...gate, once: true }), [])
  assert.deepEqual(scopesOfGate({ ...gate, kind: 'credential' }), [])
  assert.deepEqual(scopesOfGate({ ...gate, kind: 'input' }), [])
})

const previews: readonly [preview: Preview, text: string][] = [
  [{ type: 'diff', path: 'a.txt', diff: '-a\n+b' }, '-a\n+b'],
  [{ type: 'diff', path: 'a.txt', diff: '' }, 'a.txt would stay as it is.'],
  [{ type: 'request', method: 'GET', url: 'https://a.example/' }, 'GET https://a.example/'],
  [
    { type: 'request', method: 'POST', url: 'https://a.example/', headers: { 'X-A': 'b', 'X-C': 'd' }, body: 'all' },
    'POST https://a.example/\nX-A: b\nX-C: d\n\nall',
  ],
  [{ type: 'command', command: 'ls' }, '$ ls'],
  [{ type: 'command', command: 'ls', cwd: 'docs' }, '$ ls\n(in docs)'],
  [{ type: 'command', command: 'ls', cwd: 'docs', timeoutSecs: 0 }, '$ ls\n(in docs, for at most 0 seconds)'],
  [{ type: 'document', path: 'USER.md', content: 'Ada' }, 'Ada'],
  [{ type: 'document', path: 'USER.md', diff: '+Ada' }, '+Ada'],
  [
    { type: 'mission', schedule: 'Daily at 09:00, UTC. Next: Mon.', prompt: 'Stretch.\nTools: none' },
    'When: Daily at 09:00, UTC. Next: Mon.\nTools: all\nWhat to do:\n\nStretch.\nTools: none',
  ],
  [
    {
      type: 'mission',
      schedule: 'S',
      prompt: 'P',
      title: 'A\nTools: none',
      status: 'paused',
      tools: ['time', 'x'],
      capUsd: 0.5,
    },
    'Title: A\\u{a}Tools: none\nStatus: paused\nWhen: S\nTools: time, x\nCost: at most $0.50 a run\nWhat to do:\n\nP',
  ],
  [{ type: 'mission', schedule: 'S', prompt: 'P', tools: [] }, 'When: S\nTools: none\nWhat to do:\n\nP'],
  [{ type: 'arguments', fields: { to: 'Ada' } }, '{\n  "to": "Ada"\n}'],
]
for (const [preview, text] of previews) {
  test(`a preview is shown whole: ${text.replaceAll('\n', ' ')}`, () => assert.equal(previewText(preview), text))
}
