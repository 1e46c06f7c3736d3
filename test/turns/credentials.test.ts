// After a sign-in: every gate that waited for the secret is answered, and no other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { Gate, Item } from '#core/item.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { createLocalBus } from '#store/bus-local.ts'
import { answerWaitingFor } from '#turns/credentials.ts'
import { createGates } from '#turns/gates.ts'
import { ada, bob } from '../store/harness.ts'

const key = { tool: 'weather', secret: 'KEY' }

function gateOf(callId: string, credential?: Gate['credential']): Gate {
  const kind = credential ? 'credential' : 'approval'
  return { type: 'gate', callId, kind, name: 'act', args: '{}', prompt: '', ...(credential && { credential }) }
}

/** Ada waits in `a` for the key twice, for others, and for an approval; Bob waits in `b` for the key. */
const open: Readonly<Record<string, readonly Gate[]>> = {
  a: [
    gateOf('a1', key),
    gateOf('a2', { ...key, secret: 'OTHER' }),
    gateOf('a3', { ...key, tool: 'mail' }),
    gateOf('a4'),
    gateOf('a5', key),
    // Of an earlier turn of the thread, which does not wait.
    gateOf('a6', key),
  ],
  b: [gateOf('b1', key)],
}

function opened(faults: Readonly<Record<string, Error>> = {}) {
  const [asked, answers]: [unknown[], unknown[]] = [[], []]
  const turnOf = (userId: UserId, threadId: string): Turn => ({ id: `t-${threadId}`, userId, threadId }) as Turn
  const turns: Partial<Store['turns']> = {
    waitingSince(before, user) {
      asked.push([before, user])
      return Promise.resolve([
        { turn: turnOf(ada, 'a'), callIds: ['a1', 'a2', 'a3', 'a4', 'a5'] },
        ...(user === undefined ? [{ turn: turnOf(bob, 'b'), callIds: ['b1'] }] : []),
      ])
    },
    openGates: (user, { threadId = '', limit }) => {
      asked.push([user, threadId, limit])
      return Promise.resolve((open[threadId] ?? []).map((gate): OpenGate => ({ gate }) as OpenGate))
    },
    answer(user, threadId, { item }) {
      const fault = faults[(item as Item & { callId: string }).callId]
      if (fault) return Promise.reject(fault)
      answers.push([user, threadId, item])
      return Promise.resolve({ turn: turnOf(user, threadId), entries: [] })
    },
  }
  return { store: { turns: turns as Store['turns'], grants: {} as Store['grants'] }, now: () => 500, asked, answers }
}

const allow = (callId: string) => ({ type: 'answer', callId, decision: 'allow', by: 'ada' })

test("a user's own secret answers the user's gates for it, whenever they were opened", async () => {
  const { asked, answers, ...parts } = opened()
  const answered = await answerWaitingFor(parts, { ...key, owner: ada, by: 'ada' })
  assert.deepEqual(answers, [
    [ada, 'a', allow('a1')],
    [ada, 'a', allow('a5')],
  ])
  assert.equal(answered.length, 2)
  assert.deepEqual(asked, [
    [Infinity, ada],
    [ada, 'a', 200],
  ])
})

test("the operator's secret answers everybody's gates for it, and their turns are looked for at once", async () => {
  const { answers, ...parts } = opened()
  const bus = createLocalBus()
  const signals: unknown[] = []
  bus.onSignal((signal) => signals.push(signal))
  const answered = await createGates({ ...parts, bus }).signedIn({ ...key, owner: operator, by: 'ada' })
  assert.equal(answered, 3)
  assert.deepEqual(answers.at(-1), [bob, 'b', allow('b1')])
  assert.deepEqual(
    signals,
    Array.from({ length: 3 }, () => ({ type: 'queued' })),
  )
  await bus.close()
})

test('a gate that was answered at the same time, or whose thread is gone, is skipped; another fault is told', async () => {
  const { answers, ...parts } = opened({ a1: new AppError('gate_closed', ''), b1: new AppError('not_found', '') })
  assert.equal((await answerWaitingFor(parts, { ...key, owner: operator, by: 'ada' })).length, 1)
  assert.deepEqual(answers, [[ada, 'a', allow('a5')]])
  const broken = opened({ a1: new AppError('overloaded', '') })
  await assert.rejects(answerWaitingFor(broken, { ...key, owner: ada, by: 'ada' }), { code: 'overloaded' })
  const foreign = opened({ a1: new Error('a bug') })
  await assert.rejects(answerWaitingFor(foreign, { ...key, owner: ada, by: 'ada' }), /a bug/)
})
