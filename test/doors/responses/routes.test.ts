// The routes of the Responses API: who may call them, and which are counted.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ResponsesParts } from '#doors/responses/parts.ts'
import { responsesRoutes } from '#doors/responses/routes.ts'
import { maxFileBodyBytes } from '#http/body.ts'

describe('responsesRoutes', () => {
  const { prefixes, routes } = responsesRoutes({} as ResponsesParts)

  it('are under both prefixes, for users', () => {
    assert.deepEqual(prefixes, ['/api/v1', '/v1'])
    assert.deepEqual(new Set(routes.map(({ who }) => who)), new Set(['user']))
  })

  it('count what begins work against the limit of chats, and take files there alone', () => {
    const named = (which: typeof routes) => which.map(({ method, path }) => `${method} ${path}`)
    const counted = [
      'POST /responses',
      'POST /responses/input_tokens',
      'POST /responses/compact',
      'POST /conversations',
      'POST /conversations/:id/items',
    ]
    assert.deepEqual(named(routes.filter((row) => row.counted)), counted)
    assert.deepEqual(named(routes.filter((row) => row.maxBodyBytes === maxFileBodyBytes)), counted)
  })
})
