// The variants at each message, from where the threads of a conversation were forked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FamilyMember, variantsOf } from '#core/variants.ts'

/** Threads `a`, `b`, … in order: each but the first with the thread that it was forked from, and where. */
function family(...forks: readonly (readonly [from: string, beforeSeq: number, over?: Partial<FamilyMember>])[]) {
  const first: FamilyMember = { id: 'a', lastTurn: '1' }
  return [
    first,
    ...forks.map(([threadId, beforeSeq, over], at) => ({
      id: String.fromCharCode(98 + at),
      lastTurn: String(at + 2),
      forkedFrom: { threadId, beforeSeq },
      ...over,
    })),
  ]
}

function told(members: readonly FamilyMember[], id: string): string {
  return variantsOf(members, 'a', id)
    .map(({ seq, threadIds, at }) => `${seq}: ${threadIds.map((each, n) => (n === at ? `[${each}]` : each)).join(' ')}`)
    .join(', ')
}

test('the variants of a message are the same from each of them', () => {
  const members = family(['a', 3], ['a', 3])
  assert.equal(told(members, 'a'), '3: [a] b c')
  assert.equal(told(members, 'b'), '3: a [b] c')
  assert.equal(told(members, 'c'), '3: a b [c]')
})

test('a retry of a retry stands beside both', () => {
  const members = family(['a', 3], ['b', 3], ['c', 3])
  assert.equal(told(members, 'a'), '3: [a] b c d')
  assert.equal(told(members, 'd'), '3: a b c [d]')
})

test('a variant may have an id that sorts before that of the thread it was forked from', () => {
  const members = family(['a', 3], ['a', 3], ['e', 3, { id: 'd' }], ['b', 3, { id: 'e' }])
  for (const each of [members, members.toReversed()]) assert.equal(told(each, 'd'), '3: a b c [d] e')
})

test('also of the first message', () => {
  const members = family(['a', 1], ['b', 1])
  assert.equal(told(members, 'b'), '1: a [b] c')
})

test('a thread has the variants of its own messages alone', () => {
  // b differs from a at 3; c differs from b at 5; d differs from a at 7.
  const members = family(['a', 3], ['b', 5], ['a', 7])
  assert.equal(told(members, 'a'), '3: [a] c, 7: [a] d')
  assert.equal(told(members, 'b'), '3: d [b], 5: [b] c')
  assert.equal(told(members, 'c'), '3: d [c], 5: b [c]')
  assert.equal(told(members, 'd'), '3: [d] c, 7: a [d]')
})

test('a fork of an earlier message belongs to the thread that said it first', () => {
  // c was forked from b at 3, before b has its own items: it differs from a.
  const members = family(['a', 5], ['b', 3])
  assert.equal(told(members, 'a'), '3: [a] c, 5: [a] b')
  assert.equal(told(members, 'c'), '3: b [c]')
})

test('the variant of a branch is the thread in it that was used last', () => {
  const members = family(['a', 3], ['b', 5, { lastTurn: '0' }])
  assert.equal(told(members, 'a'), '3: [a] b')
  const tie = family(['a', 3], ['b', 5, { lastTurn: '2' }])
  assert.equal(told(tie, 'a'), '3: [a] c')
})

test('a message that failed without a step is no variant, unless it is the one that is shown', () => {
  const failed = family(['a', 3, { failedAt: 3 }], ['a', 3])
  assert.equal(told(failed, 'a'), '3: [a] c')
  assert.equal(told(failed, 'c'), '3: a [c]')
  assert.equal(told(failed, 'b'), '3: a [b] c')
  const first = [{ id: 'a', lastTurn: '1', failedAt: 3 }, ...family(['a', 3]).slice(1)]
  assert.equal(told(first, 'b'), '', 'tried again in place')
  const later = family(['a', 3, { failedAt: 5 }])
  assert.equal(told(later, 'a'), '3: [a] b', 'a later message of the variant failed')
  const goesOn = family(['a', 3, { failedAt: 3 }], ['b', 5])
  assert.equal(told(goesOn, 'a'), '3: [a] c', 'another thread goes on behind it')
})

test('the first thread may be a fork of another conversation; an unknown thread has no variants', () => {
  const first = { id: 'a', lastTurn: '1', forkedFrom: { threadId: 'elsewhere', beforeSeq: 9 } }
  const members = [first, ...family(['a', 3]).slice(1)]
  assert.equal(told(members, 'b'), '3: a [b]')
  assert.deepEqual(variantsOf(members, 'a', 'other'), [])
  assert.equal(told([first], 'a'), '')
})
