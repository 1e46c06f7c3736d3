// What was deleted is gone from the database, not only from its answers.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Store } from '#core/store.ts'
import { removeUser } from '#turns/user-removal.ts'
import { patienceMs, until } from '../until.ts'
import { ada, bob, draft, finish, lease, reply, say, step, turnAtApproval, turnOf, decide } from './harness.ts'
import { document } from './suite-documents.ts'
import { newServer } from './suite-mcp.ts'
import { topic } from './ntfy-topic.ts'
import { newSkill } from './suite-skills.ts'
import { nextToIndex } from './thread-words.ts'

const channel = 'telegram'
/** Each look reads every table. */
export const lookMs = 100

/** What people write beside threads and documents: stores it, and returns what deletes it again. */
const written: Readonly<Record<string, (store: Store, word: string) => Promise<() => Promise<unknown>>>> = {
  async 'a skill'({ skills }, word) {
    await skills.put(ada, { ...newSkill('pdf', { 'SKILL.md': word }), description: word })
    return () => skills.remove(ada, 'pdf')
  },
  async 'a file of a skill'({ skills }, word) {
    await skills.put(ada, newSkill('pdf', { 'SKILL.md': 'a', [`${word}.md`]: word }))
    return () => skills.put(ada, newSkill('pdf', { 'SKILL.md': 'a' }))
  },
  async 'a way of notification'({ notifications }, word) {
    const { id } = await notifications.addWay(ada, { ...topic, label: word }, 20)
    return () => notifications.removeWay(ada, id)
  },
  async 'an MCP server'({ mcp }, word) {
    await mcp.add({ ...newServer('files'), instructions: word })
    return () => mcp.remove('files')
  },
  async 'a setting'({ settings }, word) {
    await settings.change(() => ({ model: word }))
    return () => settings.change(() => ({ model: undefined }))
  },
  async 'a bot'({ channels }, word) {
    await channels.connect({ channel, account: '1', name: word })
    return () => channels.disconnect(channel)
  },
  async 'a paired chat'({ channels }, word) {
    await channels.addCode({ channel, hash: 'h', user: ada, endsAt: Number.MAX_SAFE_INTEGER })
    await channels.takePairing({ channel, account: '1', ids: [1] }, word, { hash: 'h', note: `hello ${word}` })
    return () => channels.unpair(channel, ada)
  },
}

/** A store, and the places of its database that hold a text: tables with their columns, and files. */
export type Searched = {
  readonly store: Store
  readonly placesOf: (text: string) => Promise<readonly string[]>
  /** A look that costs little: while it sees the text there is no need for a whole one. */
  readonly sees?: (text: string) => boolean
}

export function leftoverTests(open: (t: TestContext) => Promise<Searched>): void {
  /** The index keeps only the end of a word that begins like the one before. */
  const word = 'qzvanished'
  const end = 'vanished'

  async function gone({ placesOf, sees = () => false }: Searched): Promise<void> {
    await until(async () => !sees(end) && (await placesOf(end)).length === 0, patienceMs, lookMs)
  }

  test('no table holds a word of a document that was deleted', async (t) => {
    const searched = await open(t)
    const { documents } = searched.store
    await documents.put(ada, [document(`${word}.md`, `a ${word} b`), document('kept.md', 'kept words')])
    assert.notDeepEqual(await searched.placesOf(end), [])
    await documents.remove(ada, `${word}.md`)
    await gone(searched)
    assert.deepEqual((await documents.count(ada, [{ term: 'kept' }], 9))?.counts, [1])
  })

  test('of a document that was replaced only its versions hold a word, and go with it', async (t) => {
    const searched = await open(t)
    const { documents } = searched.store
    await documents.put(ada, [document('a.md', `a ${word} b`)])
    await documents.put(ada, [document('a.md', 'another text')])
    assert.deepEqual((await documents.count(ada, [{ term: 'another' }], 9))?.counts, [1])
    assert.equal((await documents.count(ada, [{ term: word }], 9))?.counts[0] ?? 0, 0)
    await documents.remove(ada, 'a.md')
    await gone(searched)
  })

  test('no table holds a word of a thread that was deleted', async (t) => {
    const searched = await open(t)
    const { store } = searched
    const { turn } = await store.turns.start(
      turnOf({ title: word, input: [say(word)], idempotency: { key: word, bodyHash: 'h' }, threadKey: word }),
    )
    await store.turns.record(turn, lease, step([reply(`so ${word} it is`)], { status: 'completed' }))
    await store.turns.start(turnOf({ threadId: turn.threadId, input: [say(`queued ${word}`)] }))
    const kept = await finish(store, (await store.turns.start(turnOf())).turn)
    assert.notDeepEqual(await searched.placesOf(end), [])
    await store.threads.remove(ada, turn.threadId)
    await gone(searched)
    assert.equal((await store.threads.history(kept)).items.length, 2)
  })

  test('what a removed thread left when its process was killed is erased with the temporary threads', async (t) => {
    const searched = await open(t)
    const { threads, threadIndex, turns } = searched.store
    const input = Array.from({ length: 2_100 }, () => say(word))
    const { threadId } = await finish(searched.store, (await turns.start(turnOf({ title: word, input }))).turn)
    await threads.remove(ada, threadId)
    assert.notDeepEqual(await searched.placesOf(end), [])
    assert.deepEqual(await nextToIndex({ threadIndex }), [{ type: 'gone', threadId }], 'and its words leave the index')
    while ((await threads.eraseTemporary(1)) > 0);
    await gone(searched)
  })

  test('a large text is stored once for a thread and its forks, and erased with the last of them', async (t) => {
    const searched = await open(t)
    const { threads, turns } = searched.store
    const text = `${'x'.repeat(5_000)} ${word}`
    const { turn } = await turns.start(turnOf({ input: [say(text)] }))
    await finish(searched.store, turn)
    const fork = await threads.fork(ada, turn.threadId, { beforeSeq: 3, door: 'web' })
    const again = fork && (await threads.fork(ada, fork.id, { beforeSeq: 3, door: 'web' }))
    assert.ok(fork && again)
    const tables = async () => (await searched.placesOf(end)).filter((place) => !place.includes('/'))
    assert.deepEqual(await tables(), ['shared_bodies'])
    await threads.remove(ada, turn.threadId)
    await threads.remove(ada, again.id)
    assert.deepEqual(await tables(), ['shared_bodies'])
    const { entries } = await threads.entries(ada, fork.id, { after: 0, limit: 9 })
    assert.deepEqual(entries[0]?.item, say(text).item)
    for (let more = true; more; ) ({ more } = await threads.eraseSome(ada))
    await gone(searched)
  })

  test('no table holds a word of what else people wrote once it was deleted', async (t) => {
    const searched = await open(t)
    for (const [what, write] of Object.entries(written)) {
      const erase = await write(searched.store, word)
      assert.notDeepEqual(await searched.placesOf(end), [], what)
      await erase()
      await gone(searched).catch((cause: unknown) => assert.fail(`${what}: ${String(cause)}`))
    }
  })

  test('no table holds a word of a user who was removed, nor the name', async (t) => {
    const searched = await open(t)
    const { store } = searched
    const { id } = await store.accounts.addUser(word, { hash: `hash-${end}` })
    await store.sessions.open({ hash: `session-${end}`, user: id, endsAt: Date.now() + 60_000 })
    const identity = { issuer: 'https://issuer.example', subject: word }
    await store.secrets.set(`tool/${word}/key`, 'hush', { owner: id })
    await store.documents.put(id, [document(`${word}.md`, `a ${word} b`)])
    const { turn } = await store.turns.start(turnOf({ user: id, title: word, input: [say(word)] }))
    const long = draft({ type: 'result', callId: 'c', output: `${word} `.repeat(20_000) })
    await store.turns.record(turn, lease, step([long, reply(word)], { status: 'completed' }))
    const asked = await turnAtApproval(store, { user: id, title: word })
    await store.turns.answer(id, asked.threadId, decide('a1'), { tool: 'act', target: word })
    await store.identities.enrol(identity, [`${word}-2`])
    await store.documents.put(bob, [document('kept.md', 'kept words')])
    assert.notDeepEqual(await searched.placesOf(end), [])
    assert.ok(await removeUser({ store }, word))
    assert.ok(await removeUser({ store }, `${word}-2`))
    await gone(searched)
    assert.deepEqual((await store.documents.count(bob, [{ term: 'kept' }], 9))?.counts, [1])
  })
}
