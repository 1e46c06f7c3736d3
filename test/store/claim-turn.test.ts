// Whose turn it is when several users have something queued.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextShare, type Queue } from '#store/claim-turn.ts'

/** As `ada:2`: a user and how many of theirs run. They have waited in the order they are named in. */
function queuesOf(text: string): Queue[] {
  return text.split(' ').map((each, at) => {
    const [user = '', running] = each.split(':')
    return { user, running: Number(running), oldest: `turn ${at}` }
  })
}

const shares: readonly (readonly [queues: string, room: number, users: readonly string[], each: number])[] = [
  ['ada:0', 8, ['ada'], 8],
  ['ada:5', 8, ['ada'], 8],
  ['ada:0 bob:0', 8, ['ada', 'bob'], 4],
  ['ada:0 bob:0 cleo:0', 8, ['ada', 'bob', 'cleo'], 2],
  ['ada:3 bob:1 cleo:0', 8, ['cleo'], 1],
  ['ada:3 bob:1 cleo:1', 8, ['bob', 'cleo'], 2],
  ['ada:9 bob:0', 8, ['bob'], 8],
  ['ada:0 bob:0 cleo:0', 2, ['ada', 'bob'], 1],
  ['ada:1 bob:0 cleo:0 dora:0', 2, ['bob', 'cleo'], 1],
]
for (const [queues, room, users, each] of shares) {
  test(`of ${queues}, with room for ${room}, ${users.join(' and ')} may start ${each}`, () => {
    assert.deepEqual(nextShare(queuesOf(queues), room), { users, each })
  })
}
