// Events of a code host in words, and the strict reading of bodies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#core/json.ts'
import { checkMediaType } from '#doors/webhook/body.ts'
import { checkStorable, readObject } from '#doors/webhook/json.ts'
import { summarize } from '#doors/webhook/summary.ts'
import { loopTurns } from '../../loop-turns.ts'

const sender = { login: 'ada' }
const commit = (at: number) => ({ id: `${at}`.padStart(40, 'a'), message: `fix ${at}\n\nwhy`, author: { name: 'Ada' } })
const pull = { number: 7, title: 'Tea', body: 'Adds tea.', head: { ref: 'tea' }, base: { ref: 'main' } }
const issue = { number: 3, title: 'No tea', body: 'There is none.' }
const comment = { body: 'I agree.', path: 'tea.ts', line: 4 }

const cases: readonly (readonly [event: string, payload: JsonObject, words: string])[] = [
  ['ping', { zen: 'Keep it simple.' }, 'The webhook is set up: this is its first delivery.\nKeep it simple.'],
  [
    'push',
    { sender, ref: 'refs/heads/main', commits: [commit(1)], compare: 'https://c' },
    'ada pushed 1 commit to main\n- aaaaaaa fix 1 (Ada)\nhttps://c',
  ],
  ['push', { sender, ref: 'refs/tags/v1', commits: [], forced: true }, 'ada force-pushed 0 commits to v1'],
  ['push', { ref: 'refs/heads/old', deleted: true, commits: [commit(1)] }, 'somebody deleted old'],
  ['push', { sender, ref: 'refs/other/x', commits: 'none' }, 'ada pushed 0 commits to refs/other/x'],
  [
    'pull_request',
    { sender, action: 'opened', pull_request: pull },
    'ada opened pull request #7: Tea\ntea -> main\nAdds tea.',
  ],
  [
    'pull_request',
    { sender, action: 'closed', pull_request: { ...pull, merged: true, head: {} } },
    'ada merged pull request #7: Tea\nAdds tea.',
  ],
  [
    'pull_request',
    { sender, action: 'closed', pull_request: { number: 7, title: 'Tea', merged: false } },
    'ada closed pull request #7: Tea',
  ],
  [
    'pull_request',
    { sender, action: 'edited', pull_request: { number: 7, title: 'Tea', merged: true } },
    'ada edited pull request #7: Tea',
  ],
  ['issues', { sender, action: 'opened', issue }, 'ada opened issue #3: No tea\nThere is none.'],
  [
    'issue_comment',
    { sender, action: 'created', issue, comment },
    'ada created a comment on issue #3: No tea:\nI agree.',
  ],
  [
    'issue_comment',
    { sender, action: 'created', issue: { ...issue, pull_request: {} }, comment },
    'ada created a comment on pull request #3: No tea:\nI agree.',
  ],
  [
    'pull_request_review',
    { sender, action: 'submitted', pull_request: pull, review: { state: 'changes_requested', body: 'No.' } },
    'ada submitted a review of pull request #7: Tea: changes requested\nNo.',
  ],
  [
    'pull_request_review_comment',
    { sender, action: 'created', pull_request: pull, comment },
    'ada created a comment on tea.ts line 4 of pull request #7: Tea:\nI agree.',
  ],
  [
    'pull_request_review_comment',
    { sender, action: 'created', pull_request: pull, comment: { path: 'tea.ts', line: null } },
    'ada created a comment on tea.ts of pull request #7: Tea:',
  ],
  [
    'release',
    { sender, action: 'published', release: { tag_name: 'v1', name: 'First', body: 'Tea.' } },
    'ada published release v1 First\nTea.',
  ],
  [
    'workflow_run',
    {
      action: 'completed',
      workflow_run: {
        name: 'CI',
        conclusion: 'failure',
        head_branch: 'main',
        display_title: 'Tea',
        html_url: 'https://r',
      },
    },
    'Workflow CI completed with failure on main\nTea\nhttps://r',
  ],
  [
    'workflow_run',
    { action: 'requested', workflow_run: { name: 'CI', head_branch: 'main' } },
    'Workflow CI requested on main',
  ],
  ['check_run', { sender, action: 'rerequested_now' }, 'ada: check run rerequested now'],
]

for (const [event, payload, words] of cases) {
  test(`${event}: ${words.split('\n', 1)[0]}`, () => assert.equal(summarize(event, payload), words))
}

test('of a large push twenty commits are named and the others counted', () => {
  const push = (count: number) =>
    summarize('push', { sender, ref: 'refs/heads/main', commits: Array.from({ length: count }, (_, at) => commit(at)) })
  assert.equal(push(20).split('\n').length, 21)
  assert.deepEqual([push(21).split('\n').length, push(21).split('\n').at(-1)], [22, '- and 1 more'])
})

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
for (const [body, why] of [
  ['', /^the body is empty: send a JSON object$/],
  [' \n', /^the body is empty/],
  ['{', /^the body is not valid JSON/],
  ['[]', /^the body must be a JSON object$/],
  ['null', /^the body must be a JSON object$/],
  ['{"a":1,"a":2}', /^a appears twice$/],
  ['{"a":{"b":1,"\\u0062":2}}', /^a\.b appears twice$/],
  ['{"x":[{"b":1,"b":2}]}', /^x\.b appears twice$/],
  [nested(65), /^a is nested deeper than 64 levels$/],
] as const) {
  test(`the body ${body.slice(0, 30)} is refused`, () =>
    assert.rejects(readObject(Buffer.from(body)), { code: 'invalid_input', message: why }))
}

test('a body is read with its numbers as they are written, and equal keys of different objects', async () => {
  assert.deepEqual(await readObject(Buffer.from('{"a":{"b":1},"b":{"a":"\\"a\\":"}}')), {
    a: { b: 1 },
    b: { a: '"a":' },
  })
  assert.equal(JSON.stringify(await readObject(Buffer.from('\ufeff{"a":1.10}'))), '{"a":1.10}')
  await readObject(Buffer.from(nested(64)))
  await assert.rejects(readObject(Buffer.from([0x7b, 0xff, 0x7d])), /not valid UTF-8/)
})

test('other work goes on while a body of many numbers is read', async (t) => {
  const body = `{"metadata":[${'1e1,'.repeat(15_000)}1.10]}`
  const turns = await loopTurns(t, async () => assert.equal(JSON.stringify(await readObject(Buffer.from(body))), body))
  assert.ok(turns >= 5, `${turns} turns of the loop`)
})

test('text that cannot be stored is named by its path', () => {
  for (const [value, path] of [
    ['a\0', 'data'],
    [{ a: ['x', 'b\ud800'] }, 'data.a[1]'],
    [{ a: { 'k\0': 1 } }, 'a key of data.a'],
  ] as const)
    assert.throws(
      () => checkStorable(value, 'data'),
      (error: Error) => error.message.startsWith(`${path} contains`),
    )
  assert.doesNotThrow(() => checkStorable({ a: ['x', 1, null, '😀'] }, 'data'))
})

test('bodies are JSON in UTF-8, also of a type of its own', () => {
  const check = (type?: string) => () => checkMediaType(type === undefined ? {} : { 'content-type': type })
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/cloudevents+json;charset="utf8"',
  ])
    assert.doesNotThrow(check(type), type)
  for (const type of [
    undefined,
    '',
    'text/json',
    'application/jsonx',
    'application/json; charset=latin1',
    'application/+json',
  ])
    assert.throws(check(type), { code: 'unsupported_media_type', param: 'Content-Type' }, type ?? 'none')
})
