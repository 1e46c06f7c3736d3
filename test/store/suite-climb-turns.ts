// Turns, their cost and the grants of earlier versions, in the database of today.
import assert from 'node:assert/strict'
import { userId } from '#core/ids.ts'
import { noUsage } from '#core/turn.ts'
import { clearOfMidnight } from '../clear-of-midnight.ts'
import { addThread, type ClimbTest } from './climb.ts'
import { decide, turnAtApproval } from './harness.ts'

export function climbTurns(climb: ClimbTest): void {
  climb('what turns have used before usage was kept is counted by their days', 4, {
    async seed(old) {
      const turn = (id: string, user: string, at: number, tokens: number) =>
        old.run(
          `INSERT INTO turns (id, thread_id, user_id, door, status, created_at, input_tokens, cost_usd)
           VALUES (?, ?, ?, 'web', 'done', ?, ?, 0.25)`,
          id,
          id,
          user,
          at,
          tokens,
        )
      const now = Date.now()
      await turn('used-a', 'user-1', now, 5)
      await turn('used-b', 'user-1', now, 6)
      await turn('used-c', 'user-2', now - 86_400_000, 7)
      await turn('used-d', 'user-2', now, 0)
    },
    async check({ usage }) {
      const rows = (await usage.list(undefined, 3)).filter(({ user }) => /^user-\d$/.test(user ?? ''))
      assert.deepEqual(
        rows.map(({ user, turns, inputTokens, costUsd }) => [user, turns, inputTokens, costUsd]),
        [
          ['user-1', 2, 11, 0.5],
          ['user-2', 1, 7, 0.25],
        ],
      )
    },
  })

  const payer = userId('payer')
  climb('what turns have cost is kept when a cost may be unknown', 5, {
    async seed(old) {
      for (const [id, usd] of [
        ['a-paid', 0],
        ['b-paid', 0.25],
      ] as const) {
        await old.run(
          `INSERT INTO turns (id, thread_id, user_id, door, status, created_at, cost_usd) VALUES (?, ?, ?, 'web', 'done', 1, ?)`,
          id,
          id,
          payer,
          usd,
        )
      }
    },
    async check({ turns }) {
      const { rows } = await turns.list(payer, { limit: 9 })
      const costs = Object.fromEntries(rows.map(({ id, usage }) => [id, usage.costUsd]))
      assert.deepEqual(costs, { 'a-paid': 0, 'b-paid': 0.25 })
    },
  })

  const guesser = userId('guesser')
  climb('usage of an unknown price from before such calls were counted is one of at least one call', 19, {
    async seed(old) {
      // It is looked at once the database has climbed on.
      await clearOfMidnight()
      const today = Math.floor(Date.now() / 86_400_000)
      for (const [model, cost] of [
        ['', null],
        ['a', 0.5],
        ['b', null],
      ] as const) {
        await old.run(
          `INSERT INTO usage (user_id, day, model, slot, turns, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd)
           VALUES (?, ?, ?, 0, 1, 1, 1, 1, 1, ?)`,
          guesser,
          today,
          model,
          cost,
        )
      }
    },
    async check({ turns, usage }) {
      assert.deepEqual((await turns.count(guesser)).costToday, { costUsd: 0.5, unpricedCalls: 1 })
      await usage.add(guesser, 'web', { model: 'b', usage: { ...noUsage, costUsd: null }, ms: 1 })
      const [, ofB] = await usage.list(guesser, 1)
      assert.deepEqual([ofB?.model, ofB?.costUsd, ofB?.unpricedCalls], ['b', null, 2])
    },
  })

  const repeater = userId('repeater')
  climb('a turn from before that waits is found by its body', 23, {
    async seed(old) {
      await addThread(old, { id: 'repeated', user: repeater, door: 'responses', lastTurn: 'repeated-n' })
      await old.run(
        `INSERT INTO turns (id, thread_id, user_id, door, status, created_at, idempotency_key, body_hash)
         VALUES ('repeated-n', 'repeated', ?, 'responses', 'waiting', 1, 'k', 'b')`,
        repeater,
      )
    },
    async check({ turns }) {
      assert.equal((await turns.findWaiting(repeater, 'responses', 'b'))?.id, 'repeated-n')
    },
  })

  const granter = userId('granter')
  climb('a database from before grants takes and lists them', 6, {
    async check(store) {
      const turn = await turnAtApproval(store, { user: granter })
      await store.turns.answer(granter, turn.threadId, decide('a1'), { tool: 'act' })
      assert.deepEqual(
        (await store.grants.list(granter)).map(({ tool }) => tool),
        ['act'],
      )
    },
  })

  const answerer = userId('answerer')
  climb('a database from before answers had times and uses were counted takes both; what was before has none', 13, {
    seed: (old) =>
      old.run(
        `INSERT INTO grants (id, user_id, door, tool, target, granted_by, created_at) VALUES ('counted', ?, 'web', 'act', '', 'ada', 1)`,
        answerer,
      ),
    async check(store) {
      assert.equal((await store.grants.list(answerer))[0]?.uses, 0)
      await store.grants.used('counted')
      assert.equal((await store.grants.list(answerer))[0]?.uses, 1)
      const turn = await turnAtApproval(store, { user: answerer })
      assert.deepEqual(await store.turns.answeredGates(answerer, { since: 0, limit: 9 }), [])
      await store.turns.answer(answerer, turn.threadId, decide('a1'))
      assert.equal((await store.turns.answeredGates(answerer, { since: 0, limit: 9 })).length, 1)
    },
  })

  const cleaner = userId('cleaner')
  climb('grants from before some stood for clean prompts alone stand for all, as they did', 14, {
    seed: (old) =>
      old.run(
        `INSERT INTO grants (id, user_id, door, tool, target, granted_by, created_at) VALUES ('clean', ?, 'web', 'act', '', 'ada', 1)`,
        cleaner,
      ),
    async check({ grants }) {
      const list = await grants.list(cleaner)
      assert.deepEqual(
        list.map(({ id, clean }) => [id, clean]),
        [['clean', undefined]],
      )
    },
  })
}
