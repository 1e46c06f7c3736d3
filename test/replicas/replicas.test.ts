// Two real services over one PostgreSQL: whichever is asked, the answer is the same.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newHome } from '../new-home.ts'
import { usePostgres } from '../postgres.ts'
import { patienceMs } from '../until.ts'
import {
  type Answer,
  hearing,
  killAll,
  listen,
  newUser,
  type Replica,
  scripted,
  sqlRows,
  startReplica,
  startReplicas,
  type StreamEvent,
  summary,
  textOf,
  until,
} from './replicas.ts'

const words = Array.from({ length: 40 }, (_, at) => `word${at} `)
const long = words.join('')
const tools = [{ type: 'function', name: 'lookup', description: 'looks up', parameters: { type: 'object' } }]

const server = usePostgres()
let url: string
let replicas: Replica[]
let one: Replica
let two: Replica
let script: Record<string, string>
const folder = newHome()

before(async () => {
  url = await server.database()
  script = scripted(folder.path, [
    { when: 'slowly', text: words, chunkDelayMs: 100 },
    { when: 'forever', text: Array.from({ length: 30_000 }, () => 'on and '), chunkDelayMs: 20 },
    { when: 'note it', calls: [{ name: 'memory_write', args: { path: 'USER.md', content: 'noted' } }] },
    { afterTool: 'memory_write', text: '{{result}}' },
    { when: 'look it up', calls: [{ name: 'lookup', args: { q: 1 } }] },
    { afterTool: 'lookup', text: 'found {{result}}' },
    { text: 'echo {{input}}' },
  ])
  // Both begin on an empty database at once: one migrates, the other waits for it.
  replicas = await startReplicas(2, url, script)
  ;[one, two] = replicas as [Replica, Replica]
})
after(async () => {
  await killAll(replicas ?? [])
  folder.remove()
})

describe('two replicas', () => {
  test('a response made on one is shown and continued on the other', async () => {
    const token = await newUser(one, 'reader')
    const made = await one.create({ input: 'hello' }, { token })
    assert.equal(textOf(made.body), 'echo hello')
    const shown = await two.ask(`/api/v1/responses/${String(made.body['id'])}`, { token })
    assert.deepEqual(shown.body['output'], made.body['output'])
    const next = await two.create({ input: 'again', previous_response_id: made.body['id'] }, { token })
    assert.equal(textOf(next.body), 'echo again')
    const third = await one.create({ input: 'and on', previous_response_id: next.body['id'] }, { token })
    assert.equal(textOf(third.body), 'echo and on')
    const thread = (await one.ask('/api/threads', { token })).body['threads'] as { last_seq: number }[]
    assert.deepEqual(
      thread.map(({ last_seq }) => last_seq),
      [6],
    )
  })

  test('a call of the caller made on one is resumed on the other; of racing resumes one wins', async () => {
    const token = await newUser(one, 'caller')
    for (let round = 0; round < 4; round++) {
      const made = await one.create({ input: 'look it up', tools }, { token })
      const [call] = made.body['output'] as { type: string; call_id: string }[]
      assert.equal(call?.type, 'function_call')
      const output = { type: 'function_call_output', call_id: call.call_id, output: 'gold' }
      const resume = (replica: Replica) =>
        replica.create({ input: [output], previous_response_id: made.body['id'] }, { token })
      const answers = await Promise.all(round === 0 ? [resume(two)] : [resume(one), resume(two)])
      const won = answers.filter(({ status }) => status === 200)
      assert.equal(won.length, 1, answers.map(({ text }) => text).join('\n'))
      assert.match(textOf(won[0]?.body ?? {}), /^found [^]*gold/)
      for (const lost of answers.filter(({ status }) => status !== 200)) {
        assert.equal(lost.status, 400)
        assert.equal((lost.body['error'] as { code: string }).code, 'no_open_gate')
      }
    }
  })

  test('two replicas answer one gate: the first word counts, the other is told that it is closed', async () => {
    const token = await newUser(one, 'judge')
    for (let round = 0; round < 4; round++) {
      const { body } = await one.ask('/api/chat', { token, body: { message: 'note it' } })
      assert.equal(body['status'], 'waiting')
      const { id } = body['gate'] as { id: string }
      const path = `/api/threads/${String(body['thread_id'])}/gates/${id}`
      const answer = (replica: Replica, action: string) => replica.ask(path, { token, body: { action } })
      const answers = await Promise.all([answer(one, 'approve'), answer(two, 'deny')])
      assert.deepEqual(answers.map(({ status }) => `${status}`).toSorted(), ['200', '409'])
      const lost = answers.find(({ status }) => status === 409)
      assert.match(lost?.text ?? '', /"code":"gate_closed"/)
      const allowed = answers[0].status === 200
      const turn = `/api/turns/${String(body['turn_id'])}/receipt`
      await until('the turn has ended', patienceMs, async () => (await two.ask(turn, { token })).body['hash'] !== null)
      const { approvals, tools: ran } = (await one.ask(turn, { token })).body
      const [said] = approvals as { decision: string }[]
      assert.deepEqual([said?.decision, (ran as unknown[]).length], allowed ? ['allow', 1] : ['deny', 0])
    }
  })

  test('a running response is cancelled from the other replica, and stops', async () => {
    const token = await newUser(one, 'canceller')
    const told: StreamEvent[] = []
    let cancelling: Promise<Answer> | undefined
    for await (const event of one.stream('/api/v1/responses', {
      token,
      body: { model: 'm', input: 'forever', stream: true },
    })) {
      told.push(event)
      if (told.length !== 5) continue
      const { id } = (told[0] as StreamEvent).data['response'] as { id: string }
      cancelling = two.ask(`/api/v1/responses/${id}/cancel`, { token, method: 'POST' })
    }
    assert.equal((await cancelling)?.body['status'], 'cancelled')
    const { response, end } = summary(told)
    assert.deepEqual([end, response['status']], ['failed', 'cancelled'])
    const shown = await two.ask(`/api/v1/responses/${String(response['id'])}`, { token })
    assert.equal(shown.body['status'], 'cancelled')
    const again = await two.ask(`/api/v1/responses/${String(response['id'])}/cancel`, { token, method: 'POST' })
    assert.equal(again.body['status'], 'cancelled')
  })

  test('watchers elsewhere see text while it is written, all of it and once', async () => {
    const token = await newUser(one, 'watcher')
    const here = one.stream('/api/v1/responses', { token, body: { model: 'm', input: 'forever', stream: true } })
    const first = await here.next()
    const { id } = (first.value as StreamEvent).data['response'] as { id: string }
    const path = `/api/v1/responses/${id}?stream=true`
    // Several pieces have come while it is written: it ends only now.
    const early = await hearing(two.stream(path, { token }), 5)
    const late = await hearing(two.stream(path, { token }), 5)
    await one.ask(`/api/v1/responses/${id}/cancel`, { token, method: 'POST' })
    const [own, ...watched] = await Promise.all([Array.fromAsync(here), early.rest, late.rest])
    const mine = summary([first.value as StreamEvent, ...own])
    assert.match(mine.text, /^(on and ){5,}$/)
    for (const each of watched) {
      assert.equal(each.text, mine.text)
      assert.deepEqual(each.response['output'], mine.response['output'])
    }
    // One who comes after the end gets it from the store.
    assert.equal((await listen(two.stream(path, { token }))).text, mine.text)
  })

  test('a third replica that comes later hears what is being written, and can stop it', async (t) => {
    const token = await newUser(one, 'third')
    const here = one.stream('/api/v1/responses', { token, body: { model: 'm', input: 'forever', stream: true } })
    const first = (await here.next()).value as StreamEvent
    const { id } = first.data['response'] as { id: string }
    const three = await startReplica(url, script)
    t.after(() => killAll([three]))
    const path = `/api/v1/responses/${id}?stream=true`
    const told: StreamEvent[] = []
    let cancelling: Promise<Answer> | undefined
    const elsewhere = listen(two.stream(path, { token }))
    for await (const event of three.stream(path, { token })) {
      told.push(event)
      if (told.length === 10) cancelling = three.ask(`/api/v1/responses/${id}/cancel`, { token, method: 'POST' })
    }
    assert.equal((await cancelling)?.body['status'], 'cancelled')
    const mine = summary([first, ...(await Array.fromAsync(here))])
    for (const heard of [summary(told), await elsewhere]) {
      assert.equal(heard.response['status'], 'cancelled')
      assert.equal(heard.text, mine.text)
    }
  })

  test('idempotent retries that race on both replicas make one turn', async () => {
    const token = await newUser(two, 'retrier')
    for (let round = 0; round < 6; round++) {
      const headers = { 'idempotency-key': `key-${round}` }
      const answers = await Promise.all(
        [one, two, one, two].map((replica) => replica.create({ input: `once ${round}` }, { token, headers })),
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
        answers.map(({ text }) => text).join('\n'),
      )
      assert.equal(new Set(answers.map(({ body }) => body['id'])).size, 1)
      for (const { body } of answers) assert.equal(textOf(body), `echo once ${round}`)
    }
    const { body } = await one.ask('/api/jobs?limit=100', { token })
    assert.equal((body['jobs'] as unknown[]).length, 6)
  })

  test('the rate limit counts the messages of both', async () => {
    const token = await newUser(one, 'eager')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => (at % 2 ? one : two).create({ input: `n${at}` }, { token })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 30)
    const refused = answers.filter(({ status }) => status === 429)
    assert.equal(refused.length, 10)
    for (const { headers } of refused) assert(Number(headers.get('retry-after')) >= 1)
  })

  test('a token made through one works on the other at once, and is refused at once', async () => {
    const token = await newUser(one, 'short-lived')
    assert.equal((await two.ask('/api/status', { token })).status, 200)
    assert.equal((await two.ask('/api/users/short-lived', { method: 'DELETE' })).status < 300, true)
    assert.equal((await one.ask('/api/status', { token })).status, 401)
    assert.equal((await two.ask('/api/status', { token })).status, 401)
  })

  test('a connection of the link that is cut comes back, and nothing is missed', async () => {
    const token = await newUser(one, 'cut')
    const cut = () =>
      sqlRows(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atrium-link' AND datname = current_database()`,
      )
    const here = one.stream('/api/v1/responses', { token, body: { model: 'm', input: 'slowly', stream: true } })
    const first = (await here.next()).value as StreamEvent
    const { id } = first.data['response'] as { id: string }
    const elsewhere = await hearing(two.stream(`/api/v1/responses/${id}?stream=true`, { token }))
    assert((await cut()).length >= 2)
    const [told, heard] = await Promise.all([Array.fromAsync(here), elsewhere.rest])
    assert.equal(summary([first, ...told]).text, long)
    assert.equal(heard.text, long)
    await until('both are linked again', patienceMs, async () => {
      const [row] = await sqlRows(
        url,
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'atrium-link' AND datname = current_database()`,
      )
      return Number(row?.['n']) >= 2
    })
    // Once healed, a cancel goes through the link again and not by force.
    const more = one.stream('/api/v1/responses', { token, body: { model: 'm', input: 'forever', stream: true } })
    const begun = (await more.next()).value as StreamEvent
    const again = begun.data['response'] as { id: string }
    await more.next()
    await more.next()
    await two.ask(`/api/v1/responses/${again.id}/cancel`, { token, method: 'POST' })
    const rest = await Array.fromAsync(more)
    assert.equal(rest.at(-1)?.type, 'failed')
  })

  test('a thread that is erased on one ends the streams of its turn on every replica', async () => {
    const token = await newUser(one, 'eraser')
    const began = one.stream('/api/v1/responses', { token, body: { model: 'm', input: 'forever', stream: true } })
    const first = (await began.next()).value as StreamEvent
    const { id } = first.data['response'] as { id: string }
    const thread = id.slice(-32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    await began.next()
    const elsewhere = two.stream(`/api/v1/responses/${id}?stream=true`, { token })
    await elsewhere.next()
    assert.equal((await two.ask(`/api/threads/${thread}`, { token, method: 'DELETE' })).status, 204)
    for (const rest of await Promise.all([began, elsewhere].map((stream) => Array.fromAsync(stream))))
      assert.equal(rest.at(-1)?.type, 'failed')
  })
})
