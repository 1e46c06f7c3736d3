// Whose secrets are sought in whose turns, and when a change is known.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { operator, type UserId, userId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { createSerialReload } from '#app/serial-reload.ts'
import { createScans, type Scans, watchSecrets } from '#app/leak-scans.ts'
import { drained } from '#safety/drained.ts'
import { stopsIn } from '#safety/leaks.ts'
import { openMemoryStore } from '../store/memory-store.ts'

const [ada, bob] = [userId('ada'), userId('bob')]
const modelKey = 'k3y0f-7h3-m0d3l-9fK2mQ7x'
const shortKey = '482913'
const masterKey = Buffer.alloc(32, 'master')

function open(t: TestContext): { store: Store; scans: Scans; secrets: Store['secrets']; read: UserId[] } {
  const store = openMemoryStore()
  t.after(() => store.close())
  const scans = createScans({ secrets: store.secrets, own: () => [modelKey, shortKey, masterKey] })
  const read: UserId[] = []
  const secrets = watchSecrets(store.secrets, (owner) => {
    read.push(owner)
    return scans.read(owner)
  })
  return { store, scans, secrets, read }
}

test('a user’s secret stops nothing of others’; the operator’s is nobody’s to send', async (t) => {
  const { scans, secrets } = open(t)
  await secrets.set('tool/mail/key', 'https://', { owner: ada })
  await secrets.set('tool/mail/key', 'the0perat0rs0wn5ecret')
  const url = ['https://example.org/a?q=bob']
  assert.equal(drained(stopsIn(scans.of(ada), url)), 'own-secret')
  for (const other of [bob, operator]) {
    assert.equal(drained(stopsIn(scans.of(other), url)), undefined)
    assert.equal(scans.of(other).mask(url[0] ?? ''), url[0])
  }
  for (const each of [ada, bob, operator]) {
    assert.equal(scans.of(each).mask(`a the0perat0rs0wn5ecret b ${modelKey} c`), 'a *** b *** c')
    assert.equal(
      drained(stopsIn(scans.of(each), ['sk-ant-api03-9fK2mQ7xLr4TzWcB8vNpYd3hJs6GtEa1Uo5iXbZ'])),
      'openai-key',
    )
  }
  assert.equal(scans.of(ada).mask('the0perat0rs0wn5ecret at https://x'), '*** at ***x')
})

test('whoever guesses a secret of the installation learns nothing; what they send is compared with none', async (t) => {
  const { scans, secrets } = open(t)
  for (const [at, value] of ['hunter2!', 'correct-horse-battery-staple', '4111111111111111'].entries()) {
    await secrets.set(`tool/mail/${at}`, value)
  }
  await secrets.set('tool/mail/key', 'value-of-ada', { owner: ada })
  const guesses = `482912 ${shortKey} 482914 hunter2! correct-horse-battery-staple 4111111111111111`
  for (const user of [ada, bob]) {
    assert.equal(scans.of(user).mask(guesses), guesses)
    assert.equal(drained(stopsIn(scans.of(user), [guesses])), undefined)
    assert.equal(scans.ofSent(user).mask(`${guesses} ${modelKey}`), `${guesses} ${modelKey}`)
    assert.equal(scans.of(user).mask(modelKey), '***', 'what the model says and tools bring')
    assert.equal(scans.of(user).mask(masterKey.toString('hex')), '***', 'a key of bytes')
    assert.match(scans.ofSent(user).mask('sk-ant-api03-9fK2mQ7xLr4TzWcB8vNpYd3hJs6GtEa1Uo5iXbZ'), /^\*+$/)
  }
  assert.equal(scans.ofSent(ada).mask('value-of-ada'), '***', 'their own')
  assert.equal(scans.ofSent(bob).mask('value-of-ada'), 'value-of-ada')
  assert.equal(scans.of(operator).mask(guesses), '482912 *** 482914 *** *** ***')
  assert.equal(scans.ofSent(operator).mask(shortKey), '***')
})

test('a secret is known before it is told as stored, with what renews it, and forgotten when it is gone', async (t) => {
  const { scans, secrets, read } = open(t)
  const text = 'first-value r-first second-value r-second'
  await secrets.set('tool/mail/key', 'first-value', { owner: ada, renewal: { token: 'r-first' } })
  assert.equal(scans.of(ada).mask(text), '*** *** second-value r-second')
  const secret = await secrets.find('tool/mail/key', ada)
  assert.ok(secret)
  await secrets.endRenewal(secret, { type: 'failed' })
  await secrets.endRenewal(secret, { type: 'renewed', value: 'second-value', renewal: { token: 'r-second' } })
  assert.equal(scans.of(ada).mask(text), 'first-value r-first *** ***')
  await secrets.remove('tool/mail/key', ada)
  assert.equal(scans.of(ada).mask(text), text)
  assert.deepEqual(read, [ada, ada, ada], 'nobody else’s was read')
})

test('a secret of the installation that was replaced or removed is still masked: a process may have it', async (t) => {
  const { scans, secrets } = open(t)
  const [first, second] = ['f1rst-0f-the-Server-9fK2', 's3cond-0f-the-Server-7xLr']
  await secrets.set('server-key', first)
  await secrets.set('server-key', second)
  for (const user of [ada, operator]) assert.equal(scans.of(user).mask(`${first} ${second}`), '*** ***')
  await secrets.remove('server-key')
  await scans.read()
  for (const user of [ada, operator]) assert.equal(scans.of(user).mask(`${first} ${second}`), '*** ***')
  for (let at = 0; at < 101; at++) await secrets.set('server-key', `v4lue-${at}-0f-the-Server-9fK2`)
  assert.equal(scans.of(operator).mask(first), first, 'at most a hundred')
  assert.equal(scans.of(operator).mask('v4lue-5-0f-the-Server-9fK2'), '***')
})

test('a scan is made once for a user, and again only for those whose secrets changed', async (t) => {
  const { scans, secrets } = open(t)
  await secrets.set('a', 'value-of-ada', { owner: ada })
  await secrets.set('a', 'value-of-bob', { owner: bob })
  const [hers, his] = [scans.of(ada), scans.of(bob)]
  await secrets.set('b', 'more-of-ada', { owner: ada })
  assert.notEqual(scans.of(ada), hers)
  assert.equal(scans.of(bob), his)
  assert.equal(scans.of(userId('cy')), scans.of(userId('di')), 'whoever brought none shares one')
  await secrets.set('a', 'of-the-0perat0r-567')
  assert.equal(scans.of(bob).mask('of-the-0perat0r-567 value-of-bob'), '*** ***')
})

test('what is to be read again is read one after the other, and whoever comes while it waits joins', async () => {
  const reloadSerially = createSerialReload()
  const reads: string[] = []
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const first = reloadSerially('a', async () => {
    reads.push('a begins')
    await held
    reads.push('a ends')
  })
  await Promise.resolve()
  const more = [1, 2, 3].map(() => reloadSerially('a', () => Promise.resolve(void reads.push('a again'))))
  const broken = assert.rejects(
    reloadSerially('b', () => Promise.reject(new Error('away'))),
    /away/,
  )
  const last = reloadSerially('c', () => Promise.resolve(void reads.push('c')))
  release()
  await Promise.all([first, ...more, broken, last])
  assert.deepEqual(reads, ['a begins', 'a ends', 'a again', 'c'])
})
