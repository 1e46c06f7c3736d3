// The bounds on variants. What the store does with them is in suite-variants.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinFamily } from '#store/thread-variants.ts'

test('a conversation has at most 100 variants, and 500 with those that failed', () => {
  const join = (variants: number, members = variants) => {
    const job = joinFamily('new', { id: 't', family: null }, '')
    job.next()
    return job.next([{ variants, members }])
  }
  assert.equal(join(99).done, false)
  assert.throws(() => join(100), { code: 'too_large' })
  assert.equal(join(1, 499).done, false)
  assert.throws(() => join(1, 500), { code: 'too_large' })
})
