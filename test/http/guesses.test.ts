// Wrong tokens: few are looked at from one address, and whoever came in before is not held up by them.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gatewayToken, type HouseOptions, openHouse, operatorToken } from '../doors/web/house.ts'
import { openClient, Refused } from '../doors/web/socket.ts'

const mostWrong = 60

async function openGuessed(t: TestContext, options: HouseOptions = {}) {
  const clock = { now: 1_800_000_000_000 }
  const house = await openHouse(t, { now: () => clock.now, ...options })
  const ask = (token: string, headers: Record<string, string> = {}) =>
    house.call('GET', '/api/session', { token, headers })
  const guess = (count: number) => Promise.all(Array.from({ length: count }, (_, at) => ask(`guess-${at}`)))
  return { ...house, clock, ask, guess }
}

const statusesOf = (answers: readonly { status: number }[]): number[] => answers.map(({ status }) => status)

test('of many guesses from one address few are looked at, however many come at once', async (t) => {
  const { ask, guess, clock } = await openGuessed(t)
  const statuses = statusesOf(await guess(2 * mostWrong))
  assert.equal(statuses.filter((status) => status === 401).length, mostWrong)
  assert.equal(statuses.filter((status) => status === 429).length, mostWrong)
  clock.now += 20_000
  const refused = await ask(operatorToken)
  assert.equal(refused.status, 429, 'a guess that is right is not told to be')
  assert.equal(refused.json.error.code, 'rate_limited')
  assert.equal(refused.headers.get('retry-after'), '40')
  clock.now += 40_000
  assert.equal((await ask(operatorToken)).status, 200)
})

test('whoever came in before, or comes with a cookie, is not held up by guesses from the same address', async (t) => {
  const { ask, call, guess, addUser } = await openGuessed(t)
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  for (const token of [ada, gatewayToken]) assert.equal((await ask(token)).status, 200)
  const signedIn = await call('POST', '/api/login', { token: null, body: { token: bob } })
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  await guess(mostWrong)
  assert.equal((await ask(operatorToken)).status, 429)
  for (const token of [ada, gatewayToken, bob]) assert.equal((await ask(token)).status, 200)
  assert.equal((await call('GET', '/api/session', { token: null, headers: { cookie } })).status, 200)
})

test('a program that repeats one wrong token holds up nobody', async (t) => {
  const { ask } = await openGuessed(t)
  for (let at = 0; at <= mostWrong; at++) assert.equal((await ask('stale')).status, 401)
  assert.equal((await ask(operatorToken)).status, 200)
})

test('where sign-ins are not limited, guesses are not either', async (t) => {
  const { guess, ask } = await openGuessed(t, { signInsPerMinute: 0 })
  assert.ok(statusesOf(await guess(mostWrong + 1)).every((status) => status === 401))
  assert.equal((await ask(operatorToken)).status, 200)
})

test('guesses count where they come from: behind a trusted proxy by client, of IPv6 by network', async (t) => {
  const { ask } = await openGuessed(t, { trustProxy: 1 })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  for (let at = 0; at < mostWrong; at++) await ask(`guess-${at}`, from(`2001:db8::${at}`))
  assert.equal((await ask(operatorToken, from('2001:db8::ffff'))).status, 429)
  assert.equal((await ask(operatorToken, from('2001:db8:0:1::1'))).status, 200)
})

test('a live connection is no way to guess either', async (t) => {
  const { url, guess } = await openGuessed(t)
  await guess(mostWrong)
  const headers = { authorization: `Bearer ${operatorToken}` }
  await assert.rejects(openClient(url, headers), (error) => error instanceof Refused && error.status === 429)
  const client = await openClient(url)
  client.send({ type: 'auth', token: operatorToken })
  assert.equal((await client.closed).code, 4429)
})
