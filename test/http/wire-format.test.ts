// Times, usage and grants as every door tells them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Grant } from '#core/grant.ts'
import { userId } from '#core/ids.ts'
import { grantWire, unixTime, usageWire } from '#http/wire-format.ts'
import { isoTime } from '#core/time.ts'

test('a time is told in UTC, or in whole seconds that have passed', () => {
  assert.deepEqual([isoTime(1_999), unixTime(1_999), unixTime(2_000)], ['1970-01-01T00:00:01.999Z', 1, 2])
})

test('usage has its sum, its cost without the noise of a sum, and the model if one answered', () => {
  const usage = { inputTokens: 10, cachedTokens: 4, outputTokens: 3, reasoningTokens: 2, costUsd: 0.1 + 0.2 }
  const told = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 3,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 13,
    cost_usd: 0.3,
  }
  assert.deepEqual(usageWire(usage), told)
  assert.deepEqual(usageWire({ ...usage, costUsd: null, model: 'm' }), { ...told, cost_usd: null, model: 'm' })
})

test('a grant is of a tool or of a target, for content of any kind or clean alone, for a time or for good', () => {
  const grant = {
    id: 'g',
    userId: userId('ada'),
    tool: 'write',
    by: 'ada',
    createdAt: 0,
    clean: true,
    uses: 2,
  } as Grant
  const told = {
    id: 'g',
    user: 'ada',
    tool: 'write',
    scope: 'tool',
    target: null,
    untrusted: false,
    by: 'ada',
    created_at: '1970-01-01T00:00:00.000Z',
    expires_at: null,
    uses: 2,
  }
  assert.deepEqual(grantWire(grant), told)
  const { clean: _, ...rest } = grant
  assert.deepEqual(grantWire({ ...rest, target: 'a/', until: 1_000 }), {
    ...told,
    scope: 'target',
    target: 'a/',
    untrusted: true,
    expires_at: '1970-01-01T00:00:01.000Z',
  })
})
