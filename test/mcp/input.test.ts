// Input that a server of the newer era asks for: one request after another, bounded, and its answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '#core/errors.ts'
import { answered, askFirst, type InputRound, pagesRound, protocolAnswer, roundOf } from '#mcp/input.ts'

const schema = { type: 'object', properties: { colour: { type: 'string' } } }
const asks = (message: string) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: schema },
})

function needed(round: InputRound): AppError {
  try {
    askFirst('rude', round)
  } catch (error) {
    return error as AppError
  }
  return assert.fail('nobody was asked')
}

test('requests of one round are asked one after another, and each answer is kept', () => {
  const first = needed(roundOf('rude', { one: asks('One?'), two: asks('Two?') }, 'opaque'))
  assert.deepEqual([first.code, first.input?.request.message], ['input_required', 'One?'])
  const red = { action: 'accept', values: { colour: 'red' } } as const
  const between = answered({ ...red, state: first.input?.state ?? '' })
  assert.ok(between)
  const second = needed(between)
  assert.equal(second.input?.request.message, 'Two?')
  const last = answered({ action: 'decline', state: second.input?.state ?? '' })
  assert.deepEqual(last, {
    responses: { one: { action: 'accept', content: { colour: 'red' } }, two: { action: 'decline' } },
    waiting: [],
    state: 'opaque',
  })
  assert.equal(askFirst('rude', last), undefined)
})

test('a person who declines has given no values', () => {
  assert.deepEqual(protocolAnswer({}, { action: 'decline' }), { action: 'decline' })
})

test('a page that was opened has no content', () => {
  assert.deepEqual(protocolAnswer({ mode: 'url' }, { action: 'accept', values: {} }), { action: 'accept' })
  assert.deepEqual(protocolAnswer({ mode: 'form' }, { action: 'accept', values: {} }), {
    action: 'accept',
    content: {},
  })
})

test('pages are opened one after another, and one that is not opened ends the call', () => {
  const page = (url: string) => ({ mode: 'url', message: 'Sign in.', elicitationId: 'e', url })
  const round = pagesRound('rude', [page('https://a.test/'), page('https://b.test/')])
  const first = needed(round)
  assert.deepEqual(first.input?.request, { type: 'link', server: 'rude', message: 'Sign in.', url: 'https://a.test/' })
  const between = answered({ action: 'accept', values: {}, state: first.input?.state ?? '' })
  assert.ok(between)
  const state = needed(between).input?.state ?? ''
  assert.throws(() => answered({ action: 'decline', state }), {
    code: 'tool_refused',
    message: /did not open the page/,
  })
  const last = answered({ action: 'accept', values: {}, state })
  assert.deepEqual([last?.waiting, last?.pages], [[], true])
  assert.equal(needed(pagesRound('rude', [{ message: 'x' }])).code, 'tool_refused')
  assert.throws(() => pagesRound('rude', Array(21).fill(page('https://a.test/'))), { message: /more than 20 inputs/ })
})

test('a server may ask for twenty inputs at once, with a bounded state, and for nothing but input', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, asks('x')]))
  assert.equal(roundOf('rude', many(20), undefined).waiting.length, 20)
  assert.throws(() => roundOf('rude', many(21), undefined), { code: 'tool_refused', message: /more than 20 inputs/ })
  assert.throws(() => roundOf('rude', { one: { ...asks('x'), method: 'sampling/createMessage' } }, undefined), {
    code: 'tool_refused',
    message: /not offered/,
  })
  const large = roundOf('rude', { one: asks('x') }, 'x'.repeat(256 * 1024))
  assert.match(needed(large).message, /too much state/)
  assert.equal(needed(large).code, 'tool_refused')
})
