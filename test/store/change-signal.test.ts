// Which changes are told to other processes, by NOTIFY in the transaction that makes them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import type { Signal } from '#core/bus.ts'
import type { Store } from '#core/store.ts'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { usePostgres } from '../postgres.ts'
import { until } from '../until.ts'
import { ada, decide, finish, turnAtApproval, turnOf } from './harness.ts'
import { document } from './suite-documents.ts'
import { newServer } from './suite-mcp.ts'
import { topic } from './ntfy-topic.ts'
import { newSkill } from './suite-skills.ts'

const server = usePostgres()
const channel = 'telegram'

const settings: Signal = { type: 'settings' }
const grants: Signal = { type: 'grants', user: ada }
const identity: Signal = { type: 'identity', user: ada }
const skills: Signal = { type: 'skills', user: ada }
const secrets: Signal = { type: 'secrets', owner: ada }
const missions: Signal = { type: 'missions' }
const channels: Signal = { type: 'channels' }
const ways: Signal = { type: 'notifications', what: 'ways' }

type Change = readonly [what: string, change: (store: Store) => Promise<unknown>, told: readonly Signal[]]

const changes: readonly Change[] = [
  ['a setting', ({ settings: all }) => all.change(() => ({ a: 1 })), [settings]],
  ['an installed tool', ({ tools }) => tools.put(tool, new Uint8Array()), [settings]],
  ['a removed tool', ({ tools }) => tools.remove('weather'), [settings]],
  ['a tool that is not there', ({ tools }) => tools.remove('weather'), []],
  ['an added server', ({ mcp }) => mcp.add(newServer('files')), [settings]],
  ['a server that stays', ({ mcp }) => mcp.change('files', () => undefined), []],
  ['a changed server', ({ mcp }) => mcp.change('files', () => ({ everyone: true })), [settings]],
  ['two grants', (store) => grant(store, 'files__add', 'act'), []],
  ['a removed server with a grant', ({ mcp }) => mcp.remove('files'), [grants, settings]],
  ['a server that is not there', ({ mcp }) => mcp.remove('files'), []],
  ['a removed grant', async (store) => store.grants.remove(ada, (await store.grants.list(ada))[0]?.id ?? ''), [grants]],
  ['a grant that is not there', (store) => store.grants.remove(ada, 'none'), []],
  ['a document', ({ documents }) => documents.put(ada, [document('a', 'x')]), []],
  ['one of two', ({ documents }) => documents.put(ada, [document('a', 'x'), document('SOUL.md', 'x')]), [identity]],
  ['a removed document', ({ documents }) => documents.remove(ada, 'a'), []],
  ['a removed identity', ({ documents }) => documents.remove(ada, 'SOUL.md'), [identity]],
  ['a skill', (store) => store.skills.put(ada, newSkill('pdf')), [skills]],
  ['a skill that is off', (store) => store.skills.switch(ada, 'pdf', false), [skills]],
  ['a removed skill', (store) => store.skills.remove(ada, 'pdf'), [skills]],
  ['a secret', (store) => store.secrets.set('tool/a/key', 'one', { owner: ada }), [secrets]],
  ['a shared secret', (store) => store.secrets.share('tool/b/key', 'tool/a/key', ada), [secrets]],
  ['a removed secret', (store) => store.secrets.remove('tool/b/key', ada), [secrets]],
  ['the secrets of a tool', (store) => store.secrets.removeBelow('tool/a/'), [settings]],
  ['a mission', (store) => store.missions.add(ada, daily, 9), [missions]],
  ['a changed mission', async (store) => store.missions.change(await first(store), { title: 'b' }, 9), [missions]],
  ['a run that fails', failOnce, []],
  ['a run that pauses its mission', failOnce, [missions]],
  ['a removed mission', async (store) => store.missions.remove(ada, (await first(store)).id), [missions]],
  ['an account', (store) => store.channels.connect({ channel, account: '1', name: 'a' }), [channels]],
  ['no chat', (store) => store.channels.unpair(channel, ada), []],
  ['a paired chat', (store) => pair(store), []],
  ['an unpaired chat', (store) => store.channels.unpair(channel, ada), [channels]],
  ['an erased user', (store) => store.channels.eraseUser(ada), [channels]],
  ['no account', (store) => store.channels.disconnect(channel), [channels]],
  ['a way', ({ notifications }) => notifications.addWay(ada, topic, 9), [ways]],
  ['a changed way', async (store) => store.notifications.changeWay(ada, await wayOf(store), { content: true }), [ways]],
  ['quiet hours', ({ notifications }) => notifications.setQuiet(ada, undefined), [ways]],
  ['a removed way', async (store) => store.notifications.removeWay(ada, await wayOf(store)), [ways]],
  ['a way that is gone', (store) => goneWay(store), [ways, ways]],
  ['ways of a kind', ({ notifications }) => notifications.removeWays(ada, 'ntfy'), [ways]],
  ['erased ways', ({ notifications }) => notifications.eraseSome(ada), [ways]],
]

const tool = { name: 'weather', sha256: 'a', capabilities: '{}', description: 'd', schema: '{}' }
const daily = { title: 'a', prompt: 'b', schedule: '@daily', zone: 'UTC', missed: 'once', from: 0, nextAt: 1 } as const

async function grant(store: Store, ...tools: string[]): Promise<void> {
  const { threadId } = await turnAtApproval(store)
  for (const [at, name] of tools.entries())
    await store.turns.answer(ada, threadId, decide(`a${at + 1}`), { tool: name })
}

async function first(store: Store) {
  return (await store.missions.list(ada)).rows[0]?.mission ?? assert.fail('no mission')
}

/** A run of the mission fails; after two in a row it is paused. */
async function failOnce(store: Store): Promise<void> {
  const mission = await first(store)
  const { nextAt = 0 } = mission
  const pause = { afterFailures: 2, because: 'no' }
  const run = { at: nextAt, turn: turnOf({ door: 'mission' }) }
  const firing = { mission, missed: [], run, next: nextAt + 1, maxRunning: 9, pause, plannedAt: 0 }
  const fired = await store.missions.fire(firing)
  assert.ok(fired.type === 'started')
  await finish(store, fired.stored.turn)
  await store.missions.settle({ turnId: fired.stored.turn.id, outcome: 'failed', summary: '', costUsd: 0 }, pause)
}

async function pair(store: Store): Promise<void> {
  await store.channels.addCode({ channel, hash: 'h', user: ada, endsAt: Number.MAX_SAFE_INTEGER })
  const updates = { channel, account: '1', ids: [1] } as const
  assert.ok(await store.channels.takePairing(updates, '7', { hash: 'h', note: '' }))
}

async function wayOf(store: Store): Promise<string> {
  return (await store.notifications.ways(ada))[0]?.id ?? ''
}

async function goneWay(store: Store): Promise<void> {
  const { id } = await store.notifications.addWay(ada, topic, 9)
  await store.notifications.removeGone(id, 'gone')
}

test('a change is told to other processes once, by what has changed; what changes nothing is not', async (t) => {
  const { url } = await server.emptied()
  const { store } = await openPostgresStore({ url, seal: createSeal('0'.repeat(64)) })
  const listener = new Client({ connectionString: url })
  t.after(async () => {
    await listener.end()
    await store.close()
  })
  await listener.connect()
  const heard: string[] = []
  listener.on('notification', ({ payload = '' }) => heard.push(payload))
  await listener.query('LISTEN atrium')
  for (const [what, change] of changes) {
    await change(store)
    // Told in the order of the commits, so all that belongs to a change comes before this.
    await listener.query(`SELECT pg_notify('atrium', $1)`, [what])
  }
  await until(() => heard.at(-1) === changes.at(-1)?.[0])
  const told = changes.map(([what]) => {
    const end = heard.indexOf(what)
    return [
      what,
      heard
        .splice(0, end + 1)
        .slice(0, -1)
        .map((payload) => JSON.parse(payload) as unknown),
    ]
  })
  assert.deepEqual(
    told,
    changes.map(([what, , signals]) => [what, signals.map((signal) => ({ type: 'signal', signal }))]),
  )
})
