// Browser sessions over a fake store: how long they last, what ends them, and what counts as a use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Session, SessionStore } from '#core/account.ts'
import { operator } from '#core/ids.ts'
import { createSessions } from '#http/session.ts'
import { logTo } from '#lib/log.ts'
import { hashToken } from '#lib/token.ts'
import { ada } from '../store/harness.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const start = 1_000_000

function opened(session?: Partial<Session>) {
  const state = {
    now: start,
    opened: [] as object[],
    touched: [] as string[],
    codes: [] as object[],
    warnings: 0,
    away: false,
  }
  const asked: unknown[] = []
  const store: Partial<SessionStore> = {
    open: (row) => Promise.resolve(void state.opened.push(row)),
    find: (...given) => {
      asked.push(given)
      return Promise.resolve(
        session && { user: ada, name: 'ada', endsAt: start + 99 * hourMs, seenAt: start, ...session },
      )
    },
    touch: (hash) => {
      if (state.away) return Promise.reject(new Error('away'))
      return Promise.resolve(void state.touched.push(hash))
    },
    addCode: (code) => Promise.resolve(void state.codes.push(code)),
    hasCode: (...given) => {
      asked.push(given)
      return Promise.resolve(true)
    },
    takeCode: (hash, maxMs) => {
      asked.push([hash, maxMs])
      return Promise.resolve(
        hash === hashToken('code') ? { token: 'op2' } : hash === hashToken('old') ? { token: 'op0' } : undefined,
      )
    },
  }
  const sessions = createSessions({
    store: store as SessionStore,
    operatorHashes: ['op1', 'op2'],
    now: () => state.now,
    log: logTo(() => state.warnings++, 'warn'),
  })
  return { state, sessions, asked }
}

test('a session lasts 30 days, or as long as the token that opened it; only a hash is stored', async () => {
  const { state, sessions } = opened()
  const cookie = await sessions.open(ada)
  await sessions.open(ada, 't', start + hourMs)
  const endsAt = start + 30 * 24 * hourMs
  const [first, second] = state.opened as { hash: string }[]
  assert.deepEqual(first, { hash: hashToken(cookie), user: ada, endsAt })
  assert.deepEqual({ ...second, hash: '' }, { hash: '', user: ada, endsAt: start + hourMs, token: 't' })
})

test('a session ends when it has not been used for 12 hours, or at its end', async () => {
  const { sessions, asked } = opened({})
  const found = await sessions.find('c')
  assert.deepEqual(found, {
    user: ada,
    name: 'ada',
    operator: false,
    session: { cookie: 'c', endsAt: start + 12 * hourMs },
  })
  assert.deepEqual(asked, [[hashToken('c'), 12 * hourMs]])
  assert.equal((await opened({ endsAt: start + hourMs }).sessions.find('c'))?.session?.endsAt, start + hourMs)
  assert.equal(await opened().sessions.find('c'), undefined)
})

test('a use is written at most every five minutes; a look is none', async () => {
  const { state, sessions } = opened({})
  state.now = start + 5 * minuteMs - 1
  assert.equal((await sessions.find('c'))?.session?.endsAt, start + 12 * hourMs)
  assert.deepEqual(state.touched, [])
  state.now = start + 5 * minuteMs
  assert.equal((await sessions.find('c', false))?.session?.endsAt, start + 12 * hourMs)
  assert.deepEqual(state.touched, [])
  assert.equal((await sessions.find('c'))?.session?.endsAt, state.now + 12 * hourMs)
  assert.deepEqual(state.touched, [hashToken('c')])
  state.away = true
  assert.equal((await sessions.find('c'))?.session?.endsAt, start + 12 * hourMs, 'a write that fails refuses nobody')
  assert.equal(state.warnings, 1)
})

test('a session of the operator ends with its token; that of a user does not', async () => {
  assert.equal((await opened({ user: operator, token: 'op1' }).sessions.find('c'))?.operator, true)
  assert.equal(await opened({ user: operator, token: 'op0' }).sessions.find('c'), undefined)
  assert.equal((await opened({ user: operator }).sessions.find('c'))?.operator, true)
  assert.equal((await opened({ token: 'any' }).sessions.find('c'))?.user, ada)
})

test('a code is valid for ten minutes and opens a session of the permanent token, while that is in force', async () => {
  const { state, sessions, asked } = opened()
  const code = await sessions.makeCode()
  assert.deepEqual(state.codes, [{ hash: hashToken(code), token: 'op2', endsAt: start + 10 * minuteMs }])
  assert.ok(await sessions.redeem('code'))
  assert.equal((state.opened[0] as { token: string }).token, 'op2')
  assert.deepEqual([await sessions.redeem('old'), await sessions.redeem('none')], [undefined, undefined])
  assert.equal(state.opened.length, 1)
  assert.deepEqual(
    asked,
    ['code', 'old', 'none'].map((each) => [hashToken(each), 10 * minuteMs]),
  )
})

test('a code is shown again while it has a minute left, and no more than it was given', async () => {
  const { sessions, asked } = opened()
  assert.equal(await sessions.isOpenCode('code'), true)
  assert.deepEqual(asked, [[hashToken('code'), { minMs: minuteMs, maxMs: 10 * minuteMs }]])
})
