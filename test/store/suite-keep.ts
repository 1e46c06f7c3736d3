// What the service keeps beside threads: accounts, secrets, settings, rate limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { dayMs } from '#core/time.ts'
import type { Open } from './harness.ts'
import { ada, minuteMs, rejectsWith, turnOf } from './harness.ts'
import { newSkill } from './suite-skills.ts'

export function keepTests(open: Open): void {
  test('the tools of a token come with its user and with the sessions that it opens', async (t) => {
    const { store, clock } = await open(t)
    const user = await store.accounts.addUser('ada', { hash: 'h1' })
    await store.accounts.addToken('ada', { hash: 'h2', tools: ['time', 'calculate'] })
    await store.accounts.addToken('ada', { hash: 'h3', tools: [] })
    const tools = async (hash: string) => (await store.accounts.findByToken(hash, clock.now))?.tools
    assert.deepEqual([await tools('h1'), await tools('h2'), await tools('h3')], [undefined, ['time', 'calculate'], []])
    for (const token of ['h1', 'h3']) {
      await store.sessions.open({ hash: `s-${token}`, user: user.id, token, endsAt: clock.now + minuteMs })
    }
    assert.equal((await store.sessions.find('s-h1', minuteMs))?.tools, undefined)
    assert.deepEqual((await store.sessions.find('s-h3', minuteMs))?.tools, [])
    const listed = await store.accounts.listTokens('ada')
    assert.deepEqual(new Set(listed?.map((token) => token.tools?.length)), new Set([undefined, 2, 0]))
  })

  test('a user is found by the hash of a token until it expires', async (t) => {
    const { store, clock } = await open(t)
    const user = await store.accounts.addUser('ada', { hash: 'h1', expiresAt: clock.now + minuteMs })
    assert.deepEqual(await store.accounts.findByToken('h1', clock.now), user)
    assert.deepEqual(await store.accounts.listUsers(), [{ ...user, tokens: 1, expiresAt: clock.now + minuteMs }])
    assert.deepEqual(await store.accounts.addToken('ada', { hash: 'h2' }), user)
    assert.deepEqual(await store.accounts.listUsers(), [{ ...user, tokens: 2 }], 'one that never ends')
    clock.now += minuteMs
    assert.equal(await store.accounts.findByToken('h1', clock.now), undefined)
    assert.deepEqual(await store.accounts.findByToken('h2', clock.now), user)
    assert.deepEqual(await store.accounts.listUsers(), [{ ...user, tokens: 1 }])
    assert.equal(await store.accounts.findByToken('h3', clock.now), undefined)
  })

  test('valid tokens are listed newest first, by the beginning of their hash, and removed one by one', async (t) => {
    const { store, clock } = await open(t)
    const { accounts } = store
    const at = clock.now
    const hash = (digit: string): string => digit.repeat(64)
    const user = await accounts.addUser('ada', { hash: hash('a'), expiresAt: at + minuteMs })
    clock.now += 1
    await accounts.addToken('ada', { hash: hash('b'), tools: ['time'] })
    clock.now += 1
    await accounts.addToken('ada', { hash: hash('c') })
    await accounts.addUser('bob', { hash: hash('d') })
    const listed = [
      { id: 'c'.repeat(16), createdAt: at + 2 },
      { id: 'b'.repeat(16), createdAt: at + 1, tools: ['time'] },
      { id: 'a'.repeat(16), createdAt: at, expiresAt: at + minuteMs },
    ]
    assert.deepEqual(await accounts.listTokens('ada'), listed)
    assert.equal(await accounts.listTokens('nobody'), undefined)
    for (const [name, id] of [
      ['ada', 'd'.repeat(16)],
      ['ada', 'b'.repeat(15)],
      ['nobody', 'b'.repeat(16)],
    ] as const)
      assert.equal(await accounts.removeToken(name, id), undefined)
    assert.deepEqual(await accounts.removeToken('ada', 'b'.repeat(16)), user)
    assert.deepEqual(await accounts.listTokens('ada'), [listed[0], listed[2]])
    clock.now = at + minuteMs
    assert.deepEqual(await accounts.listTokens('ada'), [listed[0]], 'one has expired')
    assert.equal(await accounts.removeToken('ada', 'a'.repeat(16)), undefined)
  })

  test('a token that expired over 30 days ago is deleted with the next one of its user', async (t) => {
    const { store, clock } = await open(t)
    const { accounts } = store
    const at = clock.now
    const user = await accounts.addUser('ada', { hash: 'h1', expiresAt: at + minuteMs })
    await accounts.addUser('bob', { hash: 'of bob', expiresAt: at + minuteMs })
    const found = async () => [await accounts.findByToken('h1', at), await accounts.findByToken('h2', at)]
    clock.now = at + 30 * dayMs
    await accounts.addToken('ada', { hash: 'h2', expiresAt: clock.now + dayMs })
    assert.deepEqual(await found(), [user, user], 'the clock may be set back')
    clock.now += dayMs
    await accounts.addToken('ada', { hash: 'h3' })
    assert.deepEqual(await found(), [undefined, user])
    assert.equal((await accounts.findByToken('of bob', at))?.name, 'bob')
  })

  test('users are listed with who vouches for them and when they were seen last', async (t) => {
    const { store, clock } = await open(t)
    const { accounts, identities, sessions } = store
    const ada = await accounts.addUser('ada', { hash: 'h1' })
    const bob = await identities.enrol({ issuer: 'https://login.example.com', subject: 'b' }, ['bob'])
    const list = async () => await accounts.listUsers()
    assert.deepEqual(await list(), [
      { ...ada, tokens: 1 },
      { ...bob, tokens: 0, issuer: 'https://login.example.com' },
    ])
    const seenAt = (clock.now += 5)
    await sessions.open({ hash: 's', user: ada.id, endsAt: seenAt + minuteMs })
    assert.equal((await list())[0]?.seenAt, seenAt)
    clock.now += 5
    await store.turns.start(turnOf({ user: ada.id }))
    await store.turns.start(turnOf({ user: bob.id }))
    assert.deepEqual(
      (await list()).map((user) => user.seenAt),
      [seenAt + 5, seenAt + 5],
    )
    clock.now += 5
    await sessions.touch('s')
    assert.deepEqual(
      (await list()).map((user) => user.seenAt),
      [seenAt + 10, seenAt + 5],
    )
    clock.now += 5
    await store.turns.start(turnOf({ user: bob.id, temporary: true }))
    assert.equal((await list())[1]?.seenAt, seenAt + 15, 'in a temporary thread, too')
  })

  test('names are taken once, and a token needs a user', async (t) => {
    const { store } = await open(t)
    await store.accounts.addUser('ada', { hash: 'h1' })
    await rejectsWith(store.accounts.addUser('ada', { hash: 'h2' }), 'invalid_input')
    await rejectsWith(store.accounts.addToken('bob', { hash: 'h2' }), 'not_found')
    assert.equal(await store.accounts.findByToken('h2', 0), undefined)
    const both = await Promise.allSettled(['h3', 'h4'].map((hash) => store.accounts.addUser('cleo', { hash })))
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  })

  test('a removed user is gone with every token, and the name comes back as somebody else', async (t) => {
    const { store } = await open(t)
    const user = await store.accounts.addUser('ada', { hash: 'h1' })
    await store.accounts.addToken('ada', { hash: 'h2' })
    const { turn } = await store.turns.start(turnOf({ user: user.id }))
    await store.skills.put(user.id, newSkill('pdf'))
    await store.skills.switch(user.id, 'other', false)
    assert.deepEqual(await store.accounts.removeUser(user.id), { grants: 0, secrets: 0 })
    assert.deepEqual([await store.skills.list(user.id), await store.skills.off(user.id)], [[], []])
    assert.equal((await store.storage.used(user.id)).bytes, 0)
    assert.equal(await store.accounts.findByToken('h1', 0), undefined)
    assert.equal(await store.accounts.findByToken('h2', 0), undefined)
    const next = await store.accounts.addUser('ada', { hash: 'h1' })
    assert.notEqual(next.id, user.id)
    assert.equal(await store.threads.get(next.id, turn.threadId), undefined)
  })

  test('a removal that has begun is listed until it is forgotten, since its beginning', async (t) => {
    const { store, clock } = await open(t)
    const [ann, eve] = [
      await store.accounts.addUser('ann', { hash: 'h1' }),
      await store.accounts.addUser('eve', { hash: 'h2' }),
    ]
    const at = clock.now
    await store.accounts.shutOut('eve')
    clock.now += 5
    for (const name of ['ann', 'eve', 'nobody']) await store.accounts.shutOut(name)
    await store.accounts.removeUser(eve.id)
    const [first, second] = await store.accounts.removals()
    assert.deepEqual(await store.accounts.removals(first?.user), [second])
    const begun = new Map((await store.accounts.removals()).map((each) => [each.user, each.at]))
    assert.deepEqual([begun.size, begun.get(eve.id), begun.get(ann.id)], [2, at, at + 5])
    await store.accounts.forgetRemoval(eve.id)
    assert.deepEqual(await store.accounts.removals(), [{ user: ann.id, at: at + 5 }])
  })

  test('secrets are set, replaced, listed without their values, and removed', async (t) => {
    const { store, clock } = await open(t)
    await store.secrets.set('b', 'one')
    await store.secrets.set('a', '')
    clock.now += 5
    await store.secrets.set('b', 'ünï\u0000')
    assert.equal(await store.secrets.get('b'), 'ünï\u0000')
    assert.equal(await store.secrets.get('a'), '')
    assert.equal(await store.secrets.get('c'), undefined)
    assert.deepEqual(await store.secrets.list(), [
      { name: 'a', updatedAt: clock.now - 5 },
      { name: 'b', updatedAt: clock.now },
    ])
    assert.equal(await store.secrets.remove('b'), true)
    assert.equal(await store.secrets.remove('b'), false)
    assert.equal(await store.secrets.get('b'), undefined)
  })

  test('settings hold any JSON, are replaced, and are gone when unset', async (t) => {
    const { store } = await open(t)
    assert.deepEqual(await store.settings.all(), {})
    await store.settings.change(() => ({ a: { deep: [1, null, 'x'] } }))
    await store.settings.change(() => ({ b: null }))
    await store.settings.change(() => ({ b: false }))
    assert.deepEqual(await store.settings.all(), { a: { deep: [1, null, 'x'] }, b: false })
    await store.settings.change(() => ({ a: undefined }))
    await store.settings.change(() => ({ never: undefined }))
    assert.deepEqual(await store.settings.all(), { b: false })
  })

  test('changes of settings at once see each other; one that is refused stores nothing', async (t) => {
    const { store } = await open(t)
    const names = Array.from({ length: 8 }, (_, at) => `t${at}`)
    await Promise.all(
      names.map((name) =>
        store.settings.change(({ off }) => ({ off: [...(Array.isArray(off) ? off : []), name], last: name })),
      ),
    )
    const { off, last } = await store.settings.all()
    assert.ok(Array.isArray(off))
    assert.deepEqual([new Set(off), last], [new Set(names), off.at(-1)])
    const refused = store.settings.change(() => {
      throw new AppError('invalid_input', 'no')
    })
    await assert.rejects(refused, { code: 'invalid_input' })
    await store.settings.change((stored) => ({ ...stored, off: undefined }))
    assert.deepEqual(await store.settings.all(), { last })
  })

  test('a NUL is never a fault of the database', async (t) => {
    const { store } = await open(t)
    const looked = [
      () => store.grants.remove(ada, '\0'),
      () => store.secrets.remove('\0', ada),
      () => store.documents.list(ada, { prefix: '', limit: 1, after: '\0' }),
      () => store.accounts.listTokens('\0'),
    ]
    for (const look of looked) {
      const fault: unknown = await look().then(
        () => undefined,
        (error: unknown) => error,
      )
      assert.ok(fault === undefined || (fault instanceof AppError && fault.code === 'invalid_input'), String(fault))
    }
  })

  test('a tool is kept with its bytes, replaced as a whole, listed without them, and removed', async (t) => {
    const { store, clock } = await open(t)
    const tool = { name: 'weather', sha256: 'a', capabilities: '{}', description: 'd', schema: '{}' }
    await store.tools.put(tool, new Uint8Array([0, 255, 7]))
    await store.tools.put({ ...tool, name: 'other' }, new Uint8Array([1]))
    await store.tools.put({ ...tool, sha256: 'b' }, new Uint8Array([0, 1, 2, 3]))
    assert.deepEqual(await store.tools.list(), [
      { ...tool, name: 'other', installedAt: clock.now },
      { ...tool, sha256: 'b', installedAt: clock.now },
    ])
    assert.deepEqual([...((await store.tools.component('weather')) ?? [])], [0, 1, 2, 3])
    assert.equal(await store.tools.component('nothing'), undefined)
    assert.equal(await store.tools.remove('weather'), true)
    assert.equal(await store.tools.remove('weather'), false)
    assert.deepEqual(
      (await store.tools.list()).map(({ name }) => name),
      ['other'],
    )
  })

  test('a limit that outlives the process counts exactly, uses at once included', async (t) => {
    const { store } = await open(t)
    const all = await Promise.all(Array.from({ length: 9 }, () => store.persistentLimits.take('k', 4, 1_000, 50)))
    assert.equal(all.filter(({ allowed }) => allowed).length, 4)
    assert.deepEqual(await store.persistentLimits.take('k', 4, 1_000, 1_049), { allowed: false, retryAfterMs: 1 })
    assert.deepEqual(await store.persistentLimits.take('k', 4, 1_000, 1_050), { allowed: true, retryAfterMs: 0 })
  })

  test('a limit lets so many through in any window and says when to come back', async (t) => {
    const { store } = await open(t)
    const take = (key: string, now: number) => store.limits.take(key, 2, 1_000, now)
    assert.deepEqual(await take('a', 0), { allowed: true, retryAfterMs: 0 })
    assert.deepEqual(await take('a', 400), { allowed: true, retryAfterMs: 0 })
    assert.deepEqual(await take('a', 900), { allowed: false, retryAfterMs: 100 })
    assert.deepEqual(await take('b', 900), { allowed: true, retryAfterMs: 0 })
    assert.deepEqual(await take('a', 1_000), { allowed: true, retryAfterMs: 0 })
    assert.deepEqual(await take('a', 1_399), { allowed: false, retryAfterMs: 1 })
    assert.deepEqual(await take('a', 1_400), { allowed: true, retryAfterMs: 0 })
  })

  test('a store that is open can be reached', async (t) => {
    const { store } = await open(t)
    await store.ping()
  })
}
