import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkZone } from '#core/zone.ts'

test('names of time zones pass, offsets and others are refused by the name of their field', () => {
  for (const zone of ['UTC', 'Europe/Zurich', 'America/Argentina/ComodRivadavia']) checkZone(zone)
  for (const zone of ['', '+02:00', 'Mars/Base', 'x'.repeat(100_000)]) {
    const shown = JSON.stringify(zone.slice(0, 64))
    const message = `quiet.zone ${shown} is no time zone: take a name such as Europe/Zurich or UTC`
    assert.throws(() => checkZone(zone, 'quiet.zone'), { code: 'invalid_input', param: 'quiet.zone', message })
  }
  assert.throws(() => checkZone('Mars'), { param: 'zone' })
})
