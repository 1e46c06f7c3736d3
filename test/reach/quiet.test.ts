// Quiet hours, by zones whose clocks are put forward and back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { quietUntil, readQuiet } from '#reach/quiet.ts'

const zurich = { from: '22:00', to: '07:00', zone: 'Europe/Zurich' }
const noon = { from: '12:00', to: '13:30', zone: 'UTC' }

for (const [quiet, now, until] of [
  [noon, '2026-11-16T11:59:59Z', undefined],
  [noon, '2026-11-16T12:00:00Z', '2026-11-16T13:30:00Z'],
  [noon, '2026-11-16T13:29:59.999Z', '2026-11-16T13:30:00Z'],
  [noon, '2026-11-16T13:30:00Z', undefined],
  [zurich, '2026-11-16T20:59:00Z', undefined],
  [zurich, '2026-11-16T21:00:00Z', '2026-11-17T06:00:00Z'],
  [zurich, '2026-11-17T05:59:30Z', '2026-11-17T06:00:00Z'],
  // The night in which clocks go forward is an hour shorter, and the one in which they go back an hour longer.
  [zurich, '2026-03-28T21:30:00Z', '2026-03-29T05:00:00Z'],
  [zurich, '2026-10-24T20:30:00Z', '2026-10-25T06:00:00Z'],
  // Hours that end within the hour that is left out.
  [{ from: '01:00', to: '02:30', zone: 'Europe/Zurich' }, '2026-03-29T00:30:00Z', '2026-03-29T01:00:00Z'],
  [{ from: '00:01', to: '00:00', zone: 'UTC' }, '2026-11-16T00:01:00Z', '2026-11-17T00:00:00Z'],
  [{ from: '00:00', to: '12:00', zone: 'Nowhere/Gone' }, '2026-11-16T11:00:00Z', '2026-11-16T12:00:00Z'],
  [undefined, '2026-11-16T11:00:00Z', undefined],
] as const) {
  test(`at ${now} quiet hours ${quiet ? `${quiet.from}-${quiet.to} ${quiet.zone}` : 'off'} last until ${until}`, () => {
    const at = quietUntil(quiet, Date.parse(now))
    assert.equal(at === undefined ? undefined : new Date(at).toISOString().replace('.000', ''), until)
  })
}

test('quiet hours are read, and a wrong one is named by its field', () => {
  assert.deepEqual(readQuiet({ from: '7:05', to: ' 22:00 ', zone: 'UTC' }), { from: '07:05', to: '22:00', zone: 'UTC' })
  for (const [over, param] of [
    [{ from: '24:00' }, 'quiet.from'],
    [{ from: 'night' }, 'quiet.from'],
    [{ to: '7' }, 'quiet.to'],
    [{ to: '22:00' }, 'quiet.to'],
    [{ zone: 'Mars/Base' }, 'quiet.zone'],
    [{ zone: '+02:00' }, 'quiet.zone'],
    [{ zone: 'x'.repeat(100) }, 'quiet.zone'],
  ] as const) {
    assert.throws(
      () => readQuiet({ ...zurich, ...over }),
      (error: AppError) => {
        assert.deepEqual([error.code, error.param], ['invalid_input', param])
        return error.message.startsWith(param)
      },
    )
  }
})
