// Rows of notifications as values, and how what they keep is sealed under another key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeal } from '#lib/seal.ts'
import { goneWayOf, keptValue, keyContext, resealNotifications, sealContext, wayOf } from '#store/notification-rows.ts'
import type { Row } from '#store/sql.ts'
import { drive } from './drive.ts'

const [seal, next, gone] = ['0', '1', '2'].map((digit) => createSeal(digit.repeat(64))) as [Seal, Seal, Seal]
type Seal = ReturnType<typeof createSeal>

const wayRow = (id: string, target: string): Row => ({
  id,
  user_id: 'ada',
  kind: 'ntfy',
  events: '["failed"]',
  content: '0',
  target,
  label: 'l',
  created_at: '1',
  paused_until: null,
})
const sealed = (id: string, under = seal): string => under.seal(sealContext(id), `target of ${id}`)

test('a way is read with its target, or with none if its key is gone', () => {
  const way = { id: 'a', userId: 'ada', kind: 'ntfy', events: ['failed'], content: false, label: 'l', createdAt: 1 }
  assert.deepEqual(wayOf(wayRow('a', sealed('a')), seal), { ...way, target: 'target of a' })
  const paused = { ...wayRow('a', sealed('a', gone)), content: '1', paused_until: '0' }
  assert.deepEqual(wayOf(paused, seal), { ...way, target: '', content: true, pausedUntil: 0 })
  assert.equal(wayOf(wayRow('b', sealed('a')), seal).target, '', 'the target of one way is not that of another')
})

test('a way that is gone is read with why', () => {
  const row = { ...wayRow('a', ''), gone_at: '5', gone_because: 'no' }
  assert.deepEqual(goneWayOf(row), { id: 'a', kind: 'ntfy', label: 'l', goneAt: 5, because: 'no' })
})

test('targets and kept values are sealed under the next key; what cannot be opened stays as it is', () => {
  const kept: Record<string, string> = {
    keys: seal.seal(keyContext('keys'), 'value'),
    lost: gone.seal(keyContext('lost'), 'value'),
  }
  const { asked } = drive(resealNotifications(seal, next, ''), ({ sql, values }) => {
    if (sql.includes('FROM notification_ways')) return [wayRow('a', sealed('a')), wayRow('b', sealed('b', gone))]
    if (sql.startsWith('SELECT name')) return Object.keys(kept).map((name) => ({ name }))
    return sql.startsWith('SELECT sealed') ? [{ sealed: kept[String(values[0])] ?? '' }] : []
  })
  const updates = asked.filter(({ sql }) => sql.startsWith('UPDATE')).map(({ values }) => values.map(String))
  assert.deepEqual(
    updates.map(([, key]) => key),
    ['a', 'keys'],
  )
  const [way, value] = updates.map(([text = '']) => text)
  assert.equal(next.open(sealContext('a'), way ?? ''), 'target of a')
  assert.equal(next.open(keyContext('keys'), value ?? ''), 'value')
})

test('a kept value that nobody stored is none', () => {
  assert.equal(drive(keptValue('keys', seal), () => []).result, undefined)
})
