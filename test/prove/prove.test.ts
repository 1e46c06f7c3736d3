// `atrium doctor --prove`: every attack on a service of today is tried, and none gets through.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeOf } from '#prove/attack.ts'
import { through } from '#prove/door-attacks.ts'
import { prove } from '#prove/prove.ts'

test('no attack gets through, and each is tried', async () => {
  const proofs = await prove()
  const names = [
    'no token',
    'wrong token',
    'token in a URL',
    'foreign Origin',
    'foreign Host',
    'forged webhook',
    'replayed webhook',
    'reads of another user',
    'changes by another user',
    'a user as operator',
    'private address',
    'redirect to a private address',
    'hostile component',
    'poisoned page',
    'full disk',
    'cut database',
  ]
  assert.deepEqual(
    proofs.map(({ name }) => name),
    names,
  )
  for (const { name, verdict, answered } of proofs) assert.equal(verdict, 'held', `${name}: ${answered}`)
})

test('only a refusal holds: a fault of the service is none', () => {
  const answers = [400, 401, 404, 429, 499].map((status) => ({ status }))
  assert.deepEqual(through(answers), [])
  assert.deepEqual(through([{ status: 200 }, { status: 302 }, { status: 500 }]), [
    'it answered 200',
    'it answered 302',
    'it answered 500',
  ])
})

test('the first of what got through is named', () => {
  assert.deepEqual(outcomeOf([], 'refused'), { verdict: 'held', answered: 'refused' })
  assert.deepEqual(outcomeOf(['a'], 'refused'), { verdict: 'got_through', answered: 'a' })
  assert.deepEqual(outcomeOf(['a', 'b', 'c'], ''), { verdict: 'got_through', answered: 'a, and 2 more' })
})
