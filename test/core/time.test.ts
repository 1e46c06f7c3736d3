// The time zone of the machine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#config.ts'
import { machineZone } from '#core/time.ts'

const zones: readonly [tz: string, zone: string, told: boolean][] = [
  ['Europe/Zurich', 'Europe/Zurich', false],
  ['/etc/passwd', 'UTC', true],
  ['nonsense', 'UTC', true],
  [':', 'UTC', true],
]
for (const [tz, zone, told] of zones) {
  test(`with TZ=${tz} times of day are in ${zone}`, (t) => {
    const { TZ } = process.env
    t.after(() => {
      if (TZ === undefined) delete process.env['TZ']
      else process.env['TZ'] = TZ
    })
    process.env['TZ'] = tz
    assert.equal(machineZone(), zone)
    const { notices } = readConfig({ TZ: tz, HOME: '/home/ada' })
    assert.equal(
      notices.some((line) => line.startsWith('TZ is no name')),
      told,
    )
  })
}
