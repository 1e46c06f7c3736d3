import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod/mini'
import { describeRoutes } from '#http/openapi.ts'
import type { Route } from '#http/routes.ts'
import { loopTurns } from '../loop-turns.ts'

test('routes are described one by one, in the pace of the event loop', async (t) => {
  const rows = Array.from({ length: 50 }, (_, at): Route => {
    const path = `/api/a${at}`
    const answers = { 200: z.object({ a: z.string() }) }
    return { method: 'GET', path, who: 'user', summary: 'A', answers, handle: () => Promise.resolve({}) }
  })
  let document: Record<string, unknown> = {}
  const turns = await loopTurns(t, async () => {
    document = await describeRoutes(rows, '1')
  })
  assert.equal(Object.keys(document['paths'] as object).length, 50)
  assert.ok(turns >= 20, `${turns} turns of the event loop`)
})
