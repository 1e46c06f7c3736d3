// Who is signed in, as the page knows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { request } from '../../../web/api/client.ts'
import { findSession, signIn, sessionState } from '../../../web/store/session.ts'

test('however many requests are told that the session is over, it was there and has ended', async (t) => {
  let known = true
  const refusal = { error: { code: 'unauthorized', message: 'who are you' } }
  t.mock.method(globalThis, 'fetch', () =>
    Promise.resolve(known ? Response.json({ user: 'ada' }) : Response.json(refusal, { status: 401 })),
  )
  await signIn({ token: 'x' })
  assert.equal(sessionState.value.type, 'in')
  known = false
  for (let told = 0; told < 2; told++) {
    await assert.rejects(request('GET', '/api/threads'), { status: 401 })
    assert.deepEqual(sessionState.value, { type: 'out', ended: true })
  }
  await findSession()
  assert.deepEqual(sessionState.value, { type: 'out', ended: true })
})

test('who was never signed in has not been signed out', async (t) => {
  sessionState.value = { type: 'unknown' }
  t.mock.method(globalThis, 'fetch', () => Promise.resolve(new Response('', { status: 401 })))
  await findSession()
  assert.deepEqual(sessionState.value, { type: 'out', ended: false })
})
