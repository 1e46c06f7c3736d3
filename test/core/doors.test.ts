// The table of doors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Door, doorOf, doorOfSlot, doors, isLocalDoor, senderId, senderName } from '#core/doors.ts'
import { operator, userId } from '#core/ids.ts'

test('every door has a slot of its own, which is found again; 0 is none', () => {
  const slots = Object.values(doors).map(({ slot }) => slot)
  assert.equal(new Set([0, ...slots]).size, slots.length + 1)
  for (const [name, { slot }] of Object.entries(doors)) assert.equal(doorOfSlot(slot), name)
  assert.equal(doorOfSlot(0), undefined)
})

test('slots are stored: those in use keep their door', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 8].map(doorOfSlot), [
    'terminal',
    'run',
    'web',
    'webhook',
    'responses',
    'completions',
    'mission',
    'telegram',
  ])
})

test('a sender has the name that its door knows, in a namespace of that door', () => {
  const sender = senderId('webhook', 'a:b')
  assert.deepEqual([sender, senderName(sender)], ['webhook:a:b', 'a:b'])
  assert.deepEqual([operator, userId('web:x')].map(senderName), ['operator', 'web:x'])
})

test('a door of a newer program can be shown, and nothing is allowed by it', () => {
  const { label, queuesWhenFull, operatorReaches } = doorOf('toString' as Door)
  assert.deepEqual([label, queuesWhenFull, operatorReaches], ['toString', false, false])
  assert.deepEqual(['terminal', 'run', 'web', 'toString'].map(isLocalDoor), [true, true, false, false])
})

test('what people and rules know a door by', () => {
  const { label, sign, slot, local } = doorOf('newer' as Door)
  assert.deepEqual([label, sign, slot, local], ['newer', '??', 0, false])
  assert.deepEqual(
    Object.entries(doors).map(([name, row]) => [
      name,
      row.label,
      row.sign,
      row.local,
      row.queuesWhenFull,
      row.operatorReaches,
      row.titled,
    ]),
    [
      ['terminal', 'Terminal', '>_', true, false, false, true],
      ['run', 'Terminal', '>_', true, false, false, false],
      ['web', 'Browser', '[]', false, false, false, true],
      ['webhook', 'Webhook', '->', false, true, true, false],
      ['responses', 'API', '{}', false, false, false, false],
      ['completions', 'API', '{}', false, false, false, false],
      ['mission', 'Mission', '()', false, true, false, false],
      ['telegram', 'Telegram', '<>', false, true, false, true],
    ],
  )
})
