// Pages of a list: what the query asks for, and how a page is told.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { idOf, pageOf, pageQuery, queryOf } from '#doors/responses/tell/page-query.ts'

const asked = (query: unknown, params?: unknown) => ({ query, params }) as FastifyRequest

describe('pageQuery', () => {
  for (const [limit, size] of [
    [undefined, 20],
    ['', 20],
    ['many', 20],
    ['0', 20],
    ['0.9', 20],
    ['-3', 1],
    ['1', 1],
    ['2.9', 2],
    ['100', 100],
    ['101', 100],
    ['Infinity', 100],
  ] as const) {
    it(`takes a limit of ${limit} as ${size}`, () => assert.equal(pageQuery(asked({ limit })).size, size))
  }

  it('is newest first, unless the order is asc', () => {
    for (const order of [undefined, 'desc', 'ASC', '']) assert.equal(pageQuery(asked({ order })).order, 'desc')
    assert.deepEqual(pageQuery(asked({ order: 'asc', after: 'msg_1' })), { order: 'asc', after: 'msg_1', size: 20 })
    assert.deepEqual(pageQuery(asked(undefined)), { order: 'desc', size: 20 })
  })
})

describe('a request', () => {
  it('has the strings of its query, and the id of its path', () => {
    assert.deepEqual(queryOf(asked({ a: '1', b: ['1', '2'], c: undefined })), { a: '1' })
    assert.deepEqual([queryOf(asked(null)), idOf(asked({}, { id: 'x' })), idOf(asked({}))], [{}, 'x', ''])
  })
})

describe('pageOf', () => {
  it('names its first and last item', () => {
    const [a, b] = [{ id: 'a' }, { id: 'b' }]
    assert.deepEqual(pageOf([a, b], true), {
      object: 'list',
      data: [a, b],
      first_id: 'a',
      last_id: 'b',
      has_more: true,
    })
    assert.deepEqual(pageOf([], false), { object: 'list', data: [], first_id: null, last_id: null, has_more: false })
  })
})
