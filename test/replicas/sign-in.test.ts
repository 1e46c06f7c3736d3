// Two real services over one PostgreSQL share the sign-in of a tool, and of an MCP server: one renews it, both use it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operator } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { openPostgresStore } from '#store/open-store.ts'
import { openDesk } from '../mcp/desk-server.ts'
import { usePostgres } from '../postgres.ts'
import { type AuthHouse, openAuthHome } from '../sandbox/auth/house.ts'
import { type Issuer, openIssuer } from '../sandbox/auth/issuer.ts'
import { patienceMs } from '../until.ts'
import { killAll, newUser, type Replica, sharedEnv, startReplicas, until } from './replicas.ts'

const place = 'tool/things/things_token'

const server = usePostgres()
let url: string
let issuer: AuthHouse['issuer']
/** Registers clients, as MCP servers want it. */
let mcpIssuer: Issuer
let desk: string
let one: Replica
let two: Replica
let ada: string
const ends: (() => unknown)[] = []

before(async () => {
  url = await server.prepared()
  const house = await openAuthHome({ after: (end) => ends.push(end) }, {}, sharedEnv(url))
  issuer = house.issuer
  const t = { after: (end: () => unknown) => void ends.push(end) }
  mcpIssuer = await openIssuer({ registers: true, rotate: true })
  t.after(() => mcpIssuer.close())
  desk = await openDesk(t, mcpIssuer)
  const env = { ...house.env, ATRIUM_PRIVATE_HOSTS: new URL(mcpIssuer.url).host }
  const replicas = (await startReplicas(2, url, env)) as [Replica, Replica]
  ends.push(() => killAll(replicas))
  ;[one, two] = replicas
  ada = await newUser(one, 'ada')
})
after(async () => {
  for (const end of ends.toReversed()) await end()
})

const say = (replica: Replica) => replica.ask('/api/chat', { token: ada, body: { message: 'the things' } })

test('a sign-in that was begun at one replica ends at the other, and the turn that waited there goes on', async () => {
  const waiting = await say(two)
  assert.equal(waiting.body['status'], 'waiting')
  const begun = await one.ask('/api/tools/things/auth', { body: {} })
  const returned = await issuer.signIn(String(begun.body['url']))
  const ended = await two.ask('/api/tools/things/auth', { body: { returned } })
  assert.deepEqual([ended.body['status'], ended.body['continued']], ['stored', 1])
  const job = `/api/jobs/${String(waiting.body['turn_id'])}`
  await until('the turn goes on', patienceMs, async () => {
    return (await one.ask(job, { token: ada })).body['status'] === 'completed'
  })
  assert.equal((await say(one)).body['status'], 'completed')
  assert.equal(issuer.refreshes(), 0)
})

test('one of them renews it when its time is over, and all use what came of it', async (t) => {
  const seal = createSeal(sharedEnv(url)['ATRIUM_MASTER_KEY'] ?? '')
  const { store } = await openPostgresStore({ url, seal })
  t.after(() => store.close())
  const found = await store.secrets.find(place, operator)
  assert.ok(found?.renewal?.token)
  await store.secrets.set(place, found.value, { renewal: { ...found.renewal, expiresAt: Date.now() - 1 } })
  const answers = await Promise.all([one, two, one, two].map(say))
  assert.deepEqual(
    answers.map(({ body }) => body['status']),
    ['completed', 'completed', 'completed', 'completed'],
  )
  assert.equal(issuer.refreshes(), 1)
  assert.notEqual((await store.secrets.find(place, operator))?.value, found.value)
  assert.equal((await say(two)).body['status'], 'completed')
  assert.equal(issuer.refreshes(), 1)
})

test('a token of an MCP server that is refused at both is renewed by one of them', async (t) => {
  await one.ask('/api/mcp', { body: { name: 'desk', url: desk } })
  const begun = await one.ask('/api/mcp/desk/auth', { body: {} })
  const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const ended = await fetch(await mcpIssuer.signIn(String(begun.body['url'])), { headers: { cookie } })
  assert.match(await ended.text(), /desk is signed in/)
  const call = async (replica: Replica) =>
    (await replica.ask('/api/mcp/desk/test', { body: { tool: 'whoami' } })).body['output']
  assert.deepEqual(await Promise.all([one, two].map(call)), ['ada', 'ada'])
  assert.equal(mcpIssuer.refreshes(), 0)
  const { store } = await openPostgresStore({ url, seal: createSeal(sharedEnv(url)['ATRIUM_MASTER_KEY'] ?? '') })
  t.after(() => store.close())
  const token = await store.secrets.get('mcp/desk/token')
  assert.ok(token)
  await mcpIssuer.revoke(token)
  assert.deepEqual(await Promise.all([one, two, one, two].map(call)), ['ada', 'ada', 'ada', 'ada'])
  assert.equal(mcpIssuer.refreshes(), 1)
  assert.notEqual(await store.secrets.get('mcp/desk/token'), token)
})
