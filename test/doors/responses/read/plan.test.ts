// The turn that a request starts when no thread has its history.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conversationId, operator, responseId, userId } from '#core/ids.ts'
import type { Turn } from '#core/turn.ts'
import { findPrevious, type PlanParts, planTurn } from '#doors/responses/read/plan.ts'
import { readCreate } from '#doors/responses/read/request.ts'

const ann = userId('ann')
const [turnId, threadId] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
const rules = {
  externalTools: true,
  catalog: { maxBytes: 1024, foreign: 'refuse', registered: new Set<string>() },
  fields: 'reference',
} as const

/** A store without threads. */
const none: PlanParts = {
  turns: {
    get: () => Promise.resolve(undefined),
    current: () => Promise.resolve(undefined),
    watch: () => {
      throw new Error('nothing is watched')
    },
  },
  threads: {
    findItems: () => Promise.resolve([]),
    get: () => Promise.resolve(undefined),
    entries: () => Promise.resolve({ entries: [], more: false }),
    findByOpenCall: () => Promise.resolve(undefined),
    findByChain: () => Promise.resolve(undefined),
    chainEnd: () => Promise.resolve(undefined),
  },
  readers: { canStop: () => false, isLeft: () => false },
}
const plan = async (fields: object) => planTurn(none, ann, await readCreate({ model: 'm', ...fields }, rules))

describe('a plan', () => {
  it('starts a thread of its own, with the instructions before the message, and nothing to fall back to', async () => {
    const { start, ...more } = await plan({ input: 'hi', instructions: 'Be kind.' })
    assert.deepEqual(more, {})
    assert.deepEqual(Object.keys(start).toSorted(), ['door', 'input', 'options', 'user', 'whenBusy'])
    assert.deepEqual([start.user, start.door, start.whenBusy, start.input.length], [ann, 'responses', 'refuse', 1])
    assert.match(JSON.stringify(start.input[0]), /Be kind\..*hi/)
    assert.ok(start.options.chain !== undefined)
  })

  it('keeps a thread temporary only with store: false', async () => {
    assert.equal((await plan({ input: 'hi', store: false })).start.temporary, true)
    assert.equal((await plan({ input: 'hi', store: true })).start.temporary, undefined)
  })

  it('refuses an unknown response and an unknown conversation by their fields', async () => {
    await assert.rejects(plan({ input: 'hi', previous_response_id: responseId(turnId, threadId) }), {
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    })
    await assert.rejects(plan({ input: 'hi', conversation: conversationId(threadId) }), {
      code: 'not_found',
      param: 'conversation',
    })
  })

  it('goes on from one’s own response alone, not from one of a sender whose turns the operator reads', async () => {
    const turnOf = (user: string) => ({
      get: () => Promise.resolve({ id: turnId, threadId, userId: userId(user) } as Turn),
    })
    const previous = { turnId, threadId }
    assert.equal((await findPrevious(turnOf('operator'), operator, previous)).id, turnId)
    await assert.rejects(findPrevious(turnOf('webhook:bob'), operator, previous), {
      code: 'previous_response_not_found',
    })
  })

  it('refuses a malformed request before an unknown response', async () => {
    const output = { type: 'function_call_output', call_id: 'c', output: 'x' }
    const input = [output, { role: 'user', content: 'hi' }]
    await assert.rejects(plan({ input, previous_response_id: responseId(turnId, threadId) }), {
      code: 'invalid_input',
      param: 'input[1]',
    })
  })
})
