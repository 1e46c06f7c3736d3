// A storm: the real `atrium serve`, killed with SIGKILL at random moments while messages come in and tools run. What was
// acknowledged is completed exactly once, in order, and no status ever goes back.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { userId } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { type Serving, serve } from '../../atrium.ts'
import { patienceMs } from '../../until.ts'
import { secret } from './house.ts'

const order = ['queued', 'running', 'completed']

export type Storm = { readonly conversations: number; readonly perConversation: number; readonly kills: number }

const headers = { 'content-type': 'application/json', 'x-webhook-secret': secret }

/** Each turn says something, calls a tool, and answers with its result; slow enough to be killed in every step. */
const script = {
  replies: [
    {
      when: 'compute',
      text: 'Let me see.',
      calls: [{ name: 'calculate', args: { expression: '6 * 7' } }],
      delayMs: 15,
    },
    { afterTool: 'calculate', text: 'Result: {{result}}', delayMs: 15, chunkDelayMs: 3 },
  ],
}

type Running = { readonly serving: Serving; readonly url: string }

async function start(home: string): Promise<Running> {
  const serving = await serve(home, {
    GATEWAY_ENABLED: 'false',
    HTTP_HOST: '127.0.0.1',
    HTTP_WEBHOOK_SECRET: secret,
    WEBHOOK_RATE_LIMIT: '0',
    LLM_PROVIDER: 'scripted',
    LLM_SCRIPT: join(home, 'script.json'),
  })
  return { serving, url: /webhook\s+(http:\S+)/.exec(serving.output())?.[1] ?? '' }
}

async function kill({ serving }: Running): Promise<void> {
  serving.signal('SIGKILL')
  await serving.ended
}

/** Sends messages while the service is killed again and again, then looks at every job and every log. */
export async function storm(t: TestContext, { conversations, perConversation, kills }: Storm): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'atrium-webhook-crash-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  writeFileSync(join(home, 'script.json'), JSON.stringify(script))
  let service = await start(home)
  t.after(() => kill(service))
  const jobs = new Map<string, string>()
  let retried = 0

  /** Sends until acknowledged, as a careful sender does: the same key on every try. */
  async function submit(conversation: number, n: number): Promise<void> {
    const name = `${conversation}.${n}`
    const body = JSON.stringify({
      user_id: `u${conversation}`,
      conversation_id: 'c',
      message: `compute ${name}`,
      metadata: { name },
    })
    for (;;) {
      try {
        const response = await fetch(`${service.url}/webhook`, {
          method: 'POST',
          headers: { ...headers, 'idempotency-key': name },
          body,
        })
        const { job_id: id } = (await response.json()) as { job_id: string }
        assert.equal(response.status, 200)
        jobs.set(name, id)
        return
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        retried++
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
  async function converse(conversation: number): Promise<void> {
    for (let n = 0; n < perConversation; n++) {
      await submit(conversation, n)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 120))
    }
  }
  /** Polls all the while, across kills. */
  async function watch(): Promise<void> {
    const seen = new Map<string, number>()
    while (!sent) {
      for (const id of jobs.values()) {
        const status = await statusOf(service, id)
        if (status === undefined) continue
        const [before, now] = [seen.get(id) ?? 0, order.indexOf(status)]
        assert.ok(now >= before, `job ${id} went back from ${order[before]} to ${status}`)
        seen.set(id, now)
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  let sent = false
  const watching = watch()
  const sending = Promise.all(Array.from({ length: conversations }, (_, at) => converse(at)))
  for (let at = 0; at < kills; at++) {
    await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 200))
    await kill(service)
    service = await start(home)
  }
  await sending
  sent = true
  await watching
  for (const [name, id] of jobs)
    assert.deepEqual(await completed(service, id), { response: 'Result: 6 * 7 = 42', name })
  t.diagnostic(`${jobs.size} jobs, ${kills} kills, ${retried} submissions had to be retried`)
  await kill(service)
  for (let at = 0; at < conversations; at++) await inspect(home, at, { jobs, perConversation })
}

/** Undefined while the service is down. */
async function statusOf({ url }: Running, id: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/jobs/${id}`, { headers })
    return ((await response.json()) as { status: string }).status
  } catch {
    return undefined
  }
}

async function completed({ url }: Running, id: string): Promise<unknown> {
  for (const until = Date.now() + patienceMs; ; ) {
    const response = await fetch(`${url}/jobs/${id}`, { headers })
    const job = (await response.json()) as { status: string; response: string; metadata: { name: string } }
    assert.equal(response.status, 200, 'an acknowledged job was lost')
    if (job.status === 'completed') return { response: job.response, name: job.metadata.name }
    assert.ok(Date.now() < until, `job ${id} is still ${job.status}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

type Sent = { readonly jobs: ReadonlyMap<string, string>; readonly perConversation: number }

/** The log of a conversation: every message once, in order, each with one call, one result and one answer. */
async function inspect(home: string, conversation: number, { jobs, perConversation }: Sent): Promise<void> {
  const store = openStore({ path: join(home, 'atrium.db'), seal: createSeal('0'.repeat(64)) })
  try {
    const user = userId(`webhook:u${conversation}`)
    const { rows } = await store.turns.list(user, { limit: 1_000 })
    const names = Array.from({ length: perConversation }, (_, n) => `${conversation}.${n}`)
    assert.deepEqual(
      rows.map(({ id, status }) => `${id} ${status}`),
      names.map((name) => `${jobs.get(name)} completed`).toReversed(),
    )
    const { entries } = await store.threads.entries(user, rows[0]?.threadId ?? '', { after: 0, limit: 10_000 })
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      entries.map((_, at) => at + 1),
    )
    const told = entries.flatMap(({ item }) => {
      if (item.type === 'message') return [`${item.role}: ${textOf(item)}`]
      return item.type === 'call' || item.type === 'result' ? [item.type] : []
    })
    const expected = names.flatMap((name) => [
      `user: compute ${name}`,
      'assistant: Let me see.',
      'call',
      'result',
      'assistant: Result: 6 * 7 = 42',
    ])
    assert.deepEqual(told, expected)
  } finally {
    await store.close()
  }
}
