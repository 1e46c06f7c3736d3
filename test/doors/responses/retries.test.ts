// What apps do by themselves: they repeat a request whose turn waits at a gate, and leave a stream to stop its turn.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { userId } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import { until } from '../../until.ts'
import { errorOf, serve, type Served, textIn, type Wire } from './serve.ts'

const ann = userId('ann')
const replies = [
  { when: 'approve', text: 'May I?', calls: [{ name: 'workspace_write', args: {} }] },
  { afterTool: 'workspace_write', text: 'Done.' },
  { when: 'slow', text: 'a b', chunkDelayMs: 60_000 },
]

async function openCount(served: Served): Promise<number> {
  return (await served.store.turns.openGates(ann, { limit: 100 })).length
}

describe('the same request while its turn waits at a gate', () => {
  const body = { input: 'approve', metadata: { a: '1', b: '2' } }

  it('gets the gate of that turn again, however often, streamed or not: no new turn, gate or thread', async (t) => {
    const served = await serve({ replies })
    t.after(() => served.close())
    const first = (await served.create(body)).body
    assert.equal(errorOf(first)['code'], 'gate_required')
    for (let at = 0; at < 10; at++) {
      const headers: Record<string, string> = at % 2 ? { 'idempotency-key': `k${at}` } : {}
      const again = await served.create({ metadata: { b: '2', a: '1' }, input: 'approve' }, headers)
      assert.deepEqual(again.body, first)
    }
    const streamed = (await served.stream({ ...body, stream: true })).at(-1)?.data['response'] as Wire
    const repeated = (await served.stream({ ...body, stream: true })).at(-1)?.data['response'] as Wire
    assert.equal(errorOf(repeated)['code'], 'gate_required')
    assert.equal(repeated['id'], streamed['id'])
    assert.equal(await openCount(served), 2)
    assert.equal((await served.store.threads.list(ann, { limit: 100 })).rows.length, 2)
    const bob = (await served.create(body, { authorization: 'Bearer bob' })).body
    assert.notEqual(bob['id'], first['id'])
  })

  it('gets the gate again even if the response before it was deleted meanwhile', async (t) => {
    const served = await serve({ replies: [...replies, { when: 'hello', text: 'Hello.' }] })
    t.after(() => served.close())
    const { id } = (await served.create({ input: 'hello' })).body
    const next = { input: 'approve', previous_response_id: id }
    const first = (await served.create(next)).body
    assert.equal(errorOf(first)['code'], 'gate_required')
    assert.equal((await served.call('DELETE', `/v1/responses/${String(id)}`)).status, 200)
    assert.deepEqual((await served.create(next)).body, first)
    const other = (await served.create({ ...next, input: 'approve too' })).body
    assert.equal(errorOf(other)['code'], 'previous_response_not_found')
  })

  it('survives a restart, and is a new turn once the gate is answered', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-retries-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'a.db')
    const before = await serve({ replies, path })
    const first = (await before.create(body)).body
    await before.close()
    const served = await serve({ replies, path })
    t.after(() => served.close())
    assert.deepEqual((await served.create(body)).body['id'], first['id'])
    const [open] = await served.store.turns.openGates(ann, { limit: 1 })
    assert.ok(open)
    await served.gates.answer(ann, open.turn.threadId, { callId: open.gate.callId, decision: 'allow', by: ann })
    await until(async () => (await served.get(`/responses/${String(first['id'])}`)).body['status'] === 'completed')
    assert.equal(textIn((await served.get(`/responses/${String(first['id'])}`)).body), 'May I?Done.')
    const next = (await served.create(body)).body
    assert.notEqual(next['id'], first['id'])
    assert.equal(await openCount(served), 1)
  })
})

it('a reader that leaves a stream stops its turn, once its time is over', async (t) => {
  const jobs: (() => void | Promise<void>)[] = []
  const clock = {
    now: () => 0,
    at(_time: number, _name: string, job: () => void | Promise<void>) {
      jobs.push(job)
      return { stop: () => Promise.resolve() }
    },
  }
  const served = await serve({ replies, clock })
  t.after(() => served.close())
  const controller = new AbortController()
  const response = await fetch(`${served.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: 'Bearer ann', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', input: 'slow', stream: true }),
    signal: controller.signal,
  })
  await response.body?.getReader().read()
  controller.abort()
  await until(() => jobs.length === 1)
  await jobs[0]?.()
  const [turn] = (await served.turns.list(ann, { limit: 1 })).rows
  assert.equal(turn?.status, 'cancelled')
})

it('a reference to a message that is still being written is its text so far', async (t) => {
  const served = await serve({ replies })
  t.after(() => served.close())
  const response = await fetch(`${served.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: 'Bearer ann', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', input: 'slow', stream: true }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('output_text.delta')) text += (await reader?.read())?.value ?? ''
  const id = /"item_id":"(msg_[0-9a-f]{64})"/.exec(text)?.[1]
  const next = await served.create({
    input: [
      { type: 'item_reference', id },
      { role: 'user', content: 'and now?' },
    ],
  })
  assert.equal(next.status, 200)
  const [said] = served.asked.at(-1)?.items ?? []
  assert.match(said?.type === 'message' ? textOf(said) : '', /^<untrusted-content [^>]+>\na/)
  await reader?.cancel()
})
