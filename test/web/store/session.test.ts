// Who is signed in, as the page knows it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { until } from '../../until.ts'
import { address, freshPage, gateway, ok, otherWindows, refusal } from './page.ts'
import { request } from '../../../web/api/client.ts'
import {
  findIssuer,
  findSession,
  isOperator,
  rememberReturnPath,
  sessionState,
  signIn,
  takeReturnPath,
} from '../../../web/store/session.ts'
import { readStored, setStorageUser, writeStored } from '../../../web/store/local-storage.ts'
import { notify } from '../../../web/store/notices.ts'
import { signOut } from '../../../web/store/sign-out.ts'

const refused = refusal(401, 'unauthorized', 'who are you')

function serve(t: TestContext, user = 'ada', operator = false): void {
  freshPage(t)
  address.reloads = 0
  gateway.on('POST /api/login', ok(undefined))
  gateway.on('POST /api/logout', ok(undefined))
  gateway.on('GET /api/session', ok({ user_id: user, user, operator }))
}

test('however many requests are told that the session is over, it was there and has ended', async (t) => {
  serve(t)
  await signIn({ token: 'x' })
  assert.deepEqual(gateway.bodies('POST /api/login'), [{ token: 'x' }])
  assert.deepEqual(sessionState.value, { type: 'in', session: { user_id: 'ada', user: 'ada', operator: false } })
  gateway.on('GET /api/threads', refused)
  gateway.on('GET /api/session', refused)
  for (let told = 0; told < 2; told++) {
    await assert.rejects(request('GET', '/api/threads'), { status: 401 })
    assert.deepEqual(sessionState.value, { type: 'out', ended: true })
  }
  await findSession()
  assert.deepEqual(sessionState.value, { type: 'out', ended: true })
})

test('who was never signed in has not been signed out', async (t) => {
  serve(t)
  sessionState.value = { type: 'unknown' }
  gateway.on('GET /api/session', { status: 401 })
  await findSession()
  assert.deepEqual(sessionState.value, { type: 'out', ended: false })
})

test('a token that is refused ends no session', async (t) => {
  serve(t)
  await signIn({ token: 'x' })
  const before = sessionState.value
  gateway.on('POST /api/login', refused)
  await assert.rejects(signIn({ token: 'wrong' }), { message: 'Who are you.' })
  assert.equal(sessionState.value, before)
})

test('a session that is still there changes nothing; one that comes back is entered', async (t) => {
  serve(t)
  await signIn({ code: 'c' })
  const before = sessionState.value
  await findSession()
  assert.equal(sessionState.value, before)
  sessionState.value = { type: 'away' }
  await findSession()
  assert.deepEqual(sessionState.value, before)
  assert.equal(isOperator.value, false)
})

test('a gateway that cannot be reached is away, unless somebody is signed in', async (t) => {
  serve(t)
  await signIn({ token: 'x' })
  gateway.on('GET /api/session', 'lost')
  await findSession()
  assert.equal(sessionState.value.type, 'in')
  sessionState.value = { type: 'unknown' }
  await findSession()
  assert.deepEqual(sessionState.value, { type: 'away' })
  gateway.on('GET /api/session', refusal(500, 'internal'))
  sessionState.value = { type: 'out', ended: false }
  await findSession()
  assert.deepEqual(sessionState.value, { type: 'away' })
})

test('signing out ends this session or all, and is no lost session', async (t) => {
  serve(t)
  await signIn({ token: 'x' })
  await signOut()
  await signOut(true)
  assert.deepEqual(gateway.bodies('POST /api/logout'), [{ everywhere: false }, { everywhere: true }])
  assert.deepEqual(sessionState.value, { type: 'out', ended: false })
})

test('what waits for its undo to pass is done before the session ends', async (t) => {
  serve(t)
  await signIn({ token: 'x' })
  const order: string[] = []
  gateway.on('POST /api/logout', () => {
    order.push('signed out')
    return ok(undefined)
  })
  notify('Deleted.', { onEnd: () => order.push('deleted') })
  await signOut()
  assert.deepEqual(order, ['deleted', 'signed out'])
})

test('signing out deletes the drafts, unsent messages and read positions of this user alone', async (t) => {
  serve(t)
  await signIn({ token: 'x' })
  const names = ['draft.a', 'outbox.a', 'seen', 'other']
  for (const user of ['bob', 'ada']) {
    setStorageUser(user)
    for (const name of names) writeStored(name, user)
  }
  await signOut()
  // What leaves the page with the session may still have something to keep.
  writeStored('draft.a', 'ada')
  assert.deepEqual(names.map(readStored), [undefined, undefined, undefined, 'ada'])
  setStorageUser('bob')
  assert.deepEqual(names.map(readStored), ['bob', 'bob', 'bob', 'bob'])
})

test('a sign-out in another window is one here, unless another user has signed in meanwhile', async (t) => {
  serve(t)
  await signIn({ token: 'x' })
  setStorageUser('ada')
  await signOut()
  const told = JSON.stringify(otherWindows.heard)
  await signIn({ token: 'x' })
  setStorageUser('ada')
  writeStored('draft.a', 'half a thought')
  otherWindows.tell(JSON.parse(told.replace('ada', 'bob')))
  assert.deepEqual([sessionState.value.type, readStored('draft.a')], ['in', 'half a thought'])
  otherWindows.tell(JSON.parse(told))
  assert.deepEqual([sessionState.value, readStored('draft.a')], [{ type: 'out', ended: false }, undefined])
})

test('a sign-in in another window is looked at once nobody is signed in here, or it is of another user', async (t) => {
  serve(t)
  await signIn({ token: 'x' })
  const asked = (): number => gateway.of('GET /api/session').length
  const before = asked()
  otherWindows.tell({ type: 'in', user: 'ada' })
  assert.equal(asked(), before)
  sessionState.value = { type: 'out', ended: false }
  otherWindows.tell({ type: 'in', user: 'ada' })
  await until(() => sessionState.value.type === 'in')
  otherWindows.tell({ type: 'in', user: 'bob' })
  assert.equal(asked(), before + 2)
})

test('another user gets a new page, also one of the same name: nothing of the first is left in it', async (t) => {
  serve(t)
  await signIn({ token: 'x' })
  sessionState.value = { type: 'out', ended: true }
  gateway.on('GET /api/session', ok({ user_id: 'bob', user: 'ada', operator: true }))
  await signIn({ token: 'of bob' })
  assert.deepEqual([address.reloads, sessionState.value], [1, { type: 'out', ended: true }])
  sessionState.value = { type: 'in', session: { user: 'ada', operator: false } as never }
  await findSession()
  assert.equal(address.reloads, 2, 'also when another tab has signed in')
})

test('the operator is known once signed in', (t) => {
  serve(t)
  assert.equal(isOperator.value, false)
  sessionState.value = { type: 'in', session: { user: 'ada', operator: true } as never }
  assert.equal(isOperator.value, true)
})

test('the issuer is offered where there is one', async (t) => {
  serve(t)
  assert.equal(await findIssuer(), null)
  gateway.on('GET /sign-in.json', ok({ issuer: 'Example' }))
  assert.equal(await findIssuer(), 'Example')
})

test('the page to come back to is remembered once, and is never the sign-in page', (t) => {
  serve(t)
  assert.equal(takeReturnPath(), undefined)
  rememberReturnPath('/login')
  assert.equal(takeReturnPath(), undefined)
  rememberReturnPath('/jobs')
  assert.deepEqual([takeReturnPath(), takeReturnPath()], ['/jobs', undefined])
})

test('every failure of the gateway has words', async (t) => {
  serve(t)
  const replaced = 'Atrium was not reached: something else answered at its address.'
  for (const [answer, status, code, message, after] of [
    [refusal(429, 'rate_limited', 'too fast'), 429, 'rate_limited', 'Too fast.', undefined],
    [{ status: 503, body: { error: { code: 'busy', message: 'Busy!' } }, retryAfter: '7' }, 503, 'busy', 'Busy!', 7],
    [{ status: 502, body: 'bad gateway' }, 502, 'http_502', '"bad gateway".', undefined],
    [{ status: 504 }, 504, 'http_504', 'The gateway answered 504.', undefined],
    [{ status: 500, body: 'x'.repeat(300) }, 500, 'http_500', 'The gateway answered 500.', undefined],
    [{ status: 502, text: '<html><h1>502</h1></html>' }, 502, 'http_502', 'The gateway answered 502.', undefined],
    ['lost', 0, 'offline', 'Atrium was not reached.', undefined],
    ['cut', 0, 'offline', 'Atrium was not reached.', undefined],
    [{ text: '<!doctype html>' }, 0, 'offline', replaced, undefined],
  ] as const) {
    gateway.on('GET /api/x', answer)
    await assert.rejects(request('GET', '/api/x'), { status, code, message, retryAfterSecs: after })
  }
})
