// Whose turn it is when several users have something queued.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimTurns, nextShare, noteServed, type Queue } from '#store/claim-turn.ts'
import { drive } from './drive.ts'
import { ada, lease, say } from './harness.ts'

const mebibyte = 1024 * 1024

/** As `ada:2`: a user and how many of theirs run; as `ada:2:1`, with the place in the order of the last claims. They have waited in the order they are named in. */
function queuesOf(text: string): Queue[] {
  return text.split(' ').map((each, at) => {
    const [user = '', running, served = 0] = each.split(':')
    return { user, running: Number(running), oldest: `turn ${at}`, served: Number(served) }
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
  ['ada:0:1 bob:0', 1, ['bob'], 1],
  ['ada:0:2 bob:0:1', 1, ['bob'], 1],
  ['ada:0:1 bob:1', 1, ['ada'], 1],
]
for (const [queues, room, users, each] of shares) {
  test(`of ${queues}, with room for ${room}, ${users.join(' and ')} may start ${each}`, () => {
    assert.deepEqual(nextShare(queuesOf(queues), room), { users, each })
  })
}

test('a message that is edited while its turn is claimed starts as edited', () => {
  const input = JSON.stringify([say('edited')])
  const turn = { id: 'turn', thread_id: 'thread', user_id: ada, door: 'web', status: 'queued', created_at: 1 }
  const claim = claimTurns(lease, { limit: 1, now: 2, backend: 'postgres', served: new Set() })
  let next = claim.next()
  while (!next.done) {
    const { sql } = next.value
    if (sql.startsWith('WITH RECURSIVE waiting')) next = claim.next([{ user_id: ada, running: 0, oldest: 'turn' }])
    // The lock waited for the edit, but this statement sees the row as it was before.
    else if (sql.includes('SKIP LOCKED')) {
      next = claim.next([{ ...turn, options: null, input: JSON.stringify([say('first')]), bytes: 9 }])
    } else if (sql.includes('FROM turns WHERE id = ?')) {
      next = claim.next([{ ...turn, options: '{"inputs":1}', input, bytes: input.length }])
    } else next = claim.next(sql.includes('SELECT last_seq') ? [{ last_seq: 1 }] : [])
  }
  const [started] = next.value.started
  assert.deepEqual([started?.entries[0]?.item, started?.turn.options], [say('edited').item, { inputs: 1 }])
})

test('a long input that was changed since it was read is asked for again', () => {
  const drafts = [say('as read')]
  const long = { turnId: 't', text: 'as read', drafts, bodies: { texts: ['as read'], bytes: 7 } }
  for (const stored of ['as read', 'changed']) {
    const claim = claimTurns(lease, { limit: 9, now: 2, backend: 'sqlite', served: new Set(), long })
    const { result } = drive(claim, ({ sql, values }) => {
      if (sql.startsWith('WITH RECURSIVE waiting')) return [{ user_id: ada, running: 0, oldest: 't' }]
      if (sql.includes('json_each')) return [{ id: 't', user_id: ada }]
      if (sql.includes('input = ?') && sql.startsWith('SELECT')) return values[1] === stored ? [{ one: 1 }] : []
      if (sql.includes('SELECT last_seq')) return [{ last_seq: 1 }]
      const turn = { id: 't', thread_id: 'h', user_id: ada, door: 'web', status: 'queued', created_at: 1 }
      return sql.includes('AS bytes') ? [{ ...turn, options: null, input: null, bytes: 2 * mebibyte }] : []
    })
    const items = result.started.flatMap(({ entries }) => entries.map(({ item }) => item))
    if (stored === 'changed') assert.deepEqual(result, { started: [], long: 't' })
    else assert.deepEqual(items, [drafts[0]?.item])
  }
})

/** Claims queued turns whose inputs have these sizes; one without a size is gone when it is read. */
function claimed(...sizes: (number | undefined)[]): string {
  const claim = claimTurns(lease, { limit: 9, now: 2, backend: 'sqlite', served: new Set() })
  const { result } = drive(claim, ({ sql, values }) => {
    if (sql.startsWith('WITH RECURSIVE waiting')) return [{ user_id: ada, running: 0, oldest: '0' }]
    if (sql.includes('json_each')) return sizes.map((_, at) => ({ id: String(at), user_id: ada }))
    const bytes = sql.includes('AS bytes') ? sizes[Number(values[0])] : undefined
    if (bytes === undefined) return []
    const turn = { id: String(values[0]), thread_id: 'h', user_id: ada, door: 'web', status: 'queued', created_at: 1 }
    return [{ ...turn, options: null, input: null, bytes: String(bytes) }]
  })
  return result.started.map(({ turn }) => turn.id).join('') + (result.long === undefined ? '' : `${result.long} first`)
}

test('a claim takes up to 2 MiB of input, asks first for one over 1 MiB, and passes by what is gone', () => {
  assert.equal(claimed(mebibyte, mebibyte, 1), '01')
  assert.equal(claimed(mebibyte, mebibyte - 1, 2), '01')
  assert.equal(claimed(1, mebibyte + 1, 1), '0')
  assert.equal(claimed(mebibyte + 1, 1), '0 first')
  assert.equal(claimed(undefined, 1, undefined, 1), '13')
})

test('the last thousand users who were served are known, and their order', () => {
  const served = new Set<string>()
  for (let at = 0; at < 1_000; at++) noteServed(served, `u${at}`)
  noteServed(served, 'u0')
  assert.deepEqual([served.size, [...served].at(0), [...served].at(-1)], [1_000, 'u1', 'u0'])
  noteServed(served, 'new')
  assert.deepEqual([served.size, served.has('u1'), served.has('u2')], [1_000, false, true])
})
