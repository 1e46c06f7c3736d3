// Query fields of the list routes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type * as z from 'zod/mini'
import { after, cursor, limit } from '#doors/web/paging.ts'

const rows = limit({ defaultLimit: 20, maxLimit: 100 })
const read = (schema: z.ZodMiniType, text: string | undefined): unknown => {
  const { success, data } = schema.safeParse(text)
  return success ? data : 'refused'
}

describe('a list', () => {
  for (const [text, count] of [
    [undefined, 20],
    ['1', 1],
    ['99', 99],
    ['100', 100],
    ['101', 100],
    ['999999999', 100],
    ['1000000000', 'refused'],
    ['0', 'refused'],
    ['01', 'refused'],
    ['-1', 'refused'],
    ['1.5', 'refused'],
    ['', 'refused'],
    ['10x', 'refused'],
  ] as const) {
    it(`with a limit of ${text} has ${count} rows`, () => assert.equal(read(rows, text), count))
  }
  for (const [text, seq] of [
    [undefined, 0],
    ['0', 0],
    ['7', 7],
    ['999999999999999', 999_999_999_999_999],
    ['1000000000000000', 'refused'],
    ['-1', 'refused'],
    ['', 'refused'],
    ['x7', 'refused'],
  ] as const) {
    it(`after ${text} begins behind ${seq}`, () => assert.equal(read(after, text), seq))
  }
  it('goes on at a cursor, which is an id', () => {
    const id = '00000000-0000-7000-8000-000000000001'
    assert.deepEqual(
      [undefined, id, '', 'x', `${id}0`].map((text) => read(cursor, text)),
      [undefined, id, 'refused', 'refused', 'refused'],
    )
  })
})
