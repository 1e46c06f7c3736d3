// The doors on the page are those of the service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doors as served } from '#core/doors.ts'
import { doorChoices, doorOf, doors, sameDoor, senderName } from '../../../web/lib/doors.ts'

test('the page has every door of the service, under its label', () => {
  const labels = (of: object): [string, string][] =>
    Object.entries(of as typeof doors).map(([name, { label }]) => [name, label])
  assert.deepEqual(labels(doors), labels(served))
})

test('doors with one label are one to choose from', () => {
  assert.deepEqual([sameDoor('run'), sameDoor('web')], ['terminal', 'web'])
  assert.deepEqual(
    doorChoices.map(({ label }) => label),
    ['Terminal', 'Browser', 'Webhook', 'API', 'Mission', 'Telegram'],
  )
})

test('a sender is named without its door; other users are none', () => {
  assert.deepEqual(['webhook:ci:bot', 'operator', 'ann:b', 'webhook'].map(senderName), [
    'ci:bot',
    undefined,
    undefined,
    undefined,
  ])
})

test('each door has its icon; one of a newer service looks like the browser', () => {
  assert.deepEqual(
    Object.entries(doors).map(([name, { icon }]) => `${name} ${icon}`),
    [
      'terminal terminal',
      'run terminal',
      'web browser',
      'webhook webhook',
      'responses api',
      'completions api',
      'mission clock',
      'telegram chat',
    ],
  )
  assert.equal(doorOf('web'), doors.web)
  assert.equal(doorOf('newer' as never), doors.web)
  assert.equal(sameDoor('newer' as never), 'web')
  assert.deepEqual(doorChoices[0], { value: 'terminal', label: 'Terminal' })
})
