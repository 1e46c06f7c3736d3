import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '#core/turn.ts'
import { endNote } from '#doors/terminal/block.ts'

test('the note of a failed turn says what happened, then what is kept', () => {
  const noteOf = (code: NonNullable<Turn['error']>['code'], message: string, done: boolean) =>
    endNote({ status: 'failed', error: { code, message } }, { cut: false, done })?.text
  assert.equal(
    noteOf('model_unreachable', 'api.example.com returned 529 four times in 30 s', false),
    'The model did not answer. api.example.com returned 529 four times in 30 s. Your message is kept.',
  )
  assert.equal(
    noteOf('step_limit', 'the turn asked the model 50 times: send a message to go on', true),
    'The turn asked the model 50 times: send a message to go on. What was done is kept.',
  )
  assert.equal(endNote({ status: 'completed' }, { cut: false, done: true }), undefined)
})
