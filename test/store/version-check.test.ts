// Which processes may go on beside a version.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVersion, oldestShared, outdated } from '#store/version-check.ts'

const alone = { changes: [] }
const shared = { changes: [], shared: true } as const

test('processes go on up to the last version that is not shared with those before', () => {
  const steps = [alone, alone, shared, alone, shared, shared]
  assert.deepEqual(
    steps.map((_, at) => oldestShared(at + 1, steps)),
    [1, 2, 2, 4, 4, 4],
  )
})

test('a database of this version or an earlier one is opened, of a newer one not', () => {
  checkVersion(0, [alone])
  checkVersion(1, [alone])
  const refused = (path?: string) => () => checkVersion(2, [alone], path)
  assert.throws(refused(), { code: 'database_unavailable', message: /has version 2, this Atrium knows 1.*backup$/ })
  assert.throws(refused('/a.db'), {
    message: /backup \(a copy from before the upgrade is named \/a\.db\.vN\.backup\)$/,
  })
})

test('a process that is left behind is told which versions', () => {
  const { code, message } = outdated(7, 6)
  assert.equal(code, 'database_unavailable')
  assert.match(message, /to version 7, which this one \(version 6\) cannot work with/)
})
