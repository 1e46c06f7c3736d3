// Esc in the composer: of all that could be left or stopped, the first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Approvals } from '#doors/terminal/approvals.ts'
import type { You } from '#doors/terminal/block.ts'
import type { Blocks } from '#doors/terminal/blocks.ts'
import { createStepBack } from '#doors/terminal/step-back.ts'
import { fake } from '../../fake.ts'

type Screen = {
  readonly turn?: 'running' | 'waiting' | 'queued'
  readonly editing?: true
  readonly dialog?: true
  /** Messages behind the turn. */
  readonly behind?: number
}

const cases: readonly [what: string, screen: Screen, done: readonly string[]][] = [
  ['a queued message that is changed is left before anything else', { editing: true, turn: 'running' }, ['leave']],
  ['a running turn is stopped', { turn: 'running' }, ['cancel t']],
  ['a running turn is stopped before a dialog closes', { turn: 'running', dialog: true }, ['cancel t']],
  [
    'the message behind a stopped turn is told to go on',
    { turn: 'running', behind: 1 },
    ['cancel t', 'Stopped. 1 queued message goes on; /stop stops everything.'],
  ],
  [
    'so are several',
    { turn: 'running', behind: 2 },
    ['cancel t', 'Stopped. 2 queued messages go on; /stop stops everything.'],
  ],
  ['the dialog of a waiting turn is left for later', { turn: 'waiting', dialog: true }, ['later']],
  ['a waiting turn whose dialog is closed is cancelled', { turn: 'waiting' }, ['cancel t']],
  ['without a turn the transcript goes to its end', {}, ['to end']],
]

for (const [what, { turn: status, editing = false, dialog, behind = 0 }, done] of cases) {
  test(what, () => {
    const seen: string[] = []
    const stepBack = createStepBack({
      client: { cancel: (id) => Promise.resolve(void seen.push(`cancel ${id}`)) },
      conversation: {
        blocks: fake<Blocks>({
          turn: () => status && { id: 't', status, since: 0 },
          queued: () => Array.from({ length: behind }, () => fake<You>({ type: 'you' })),
        }),
      },
      approvals: fake<Approvals>({ ...(dialog && { dialog: {} }), later: () => void seen.push('later') }),
      transcript: { toEnd: () => void seen.push('to end') },
      queuedEdit: { active: editing, leave: () => void seen.push('leave') },
      attempt: () => {},
      tell: (words) => void seen.push(words),
    })
    stepBack()
    assert.deepEqual(seen, done)
  })
}
