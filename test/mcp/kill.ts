// A real service with real MCP servers, killed with SIGKILL at moments of a call: the service, or the servers.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { homeMark } from '#mcp/process-mark.ts'
import { atrium, serve, type Serving } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { random } from '../random.ts'
import { until } from '../until.ts'
import { processesOf, rude } from './harness.ts'

const token = 'operator-token-of-a-home-that-is-killed'
/** Of so many kills one is of the servers. */
const serversEvery = 3

type Item = {
  readonly type: string
  readonly role?: string
  readonly output?: string
  readonly error?: boolean
  readonly content?: readonly { readonly text?: string }[]
}
type Thread = { readonly id: string; readonly items: readonly Item[] }

/** How the calls ended, as the log tells it. */
export type Ends = { readonly done: number; readonly unknown: number }

/**
 * Kills once for each seed. In the end each payment was made at most once, one that may have been made is told as such, every
 * turn has ended, the held question is closed, and the durable one still waits and is answered.
 */
export async function killInCalls(seeds: readonly number[]): Promise<Ends> {
  const home = newHome()
  const effects = join(home.path, 'effects')
  const env = { GATEWAY_AUTH_TOKEN: token, LLM_PROVIDER: 'scripted', LLM_SCRIPT: join(home.path, 'script.json') }
  writeFileSync(env.LLM_SCRIPT, JSON.stringify(script([0, ...seeds])))
  const { command, args } = rude()
  await ran(home.path, ['mcp', 'add', 'old', '--', command, ...args, `pays=${effects}`])
  await ran(home.path, ['mcp', 'add', 'new', '--', command, ...args, 'modern'])
  await ran(home.path, ['policy', 'set', 'write', '--clean', 'allow', '--tainted', 'allow'])
  let service = await serve(home.path, env)
  try {
    const began = performance.now()
    await chat(service, 'pay 0;')
    const callMs = performance.now() - began
    for (const era of ['old', 'new']) assert.equal((await chat(service, `ask ${era};`)).status, 'waiting')
    for (const seed of seeds) {
      const sent = chat(service, `pay ${seed};`).catch(() => undefined)
      await pause(1.2 * callMs * random(seed))
      if (seed % serversEvery === 0) {
        for (const pid of processesOf(homeMark(realpathSync(home.path)))) endProcess(pid)
        await sent
        continue
      }
      service.signal('SIGKILL')
      await service.ended
      service = await serve(home.path, env)
    }
    await until(async () => (await statuses(service)).every((status) => status === 'completed' || status === 'waiting'))
    assert.equal((await statuses(service)).filter((status) => status === 'waiting').length, 1)
    await answerWaiting(service)
    const ends = check(await threads(service), effects)
    assert.equal(await service.stop(), 0)
    assert.deepEqual(processesOf(homeMark(realpathSync(home.path))), [], 'no process is left')
    return ends
  } finally {
    service.signal('SIGKILL')
    home.remove()
  }
}

function script(seeds: readonly number[]): object {
  return {
    loop: true,
    replies: [
      ...seeds.map((n) => ({ when: `pay ${n};`, calls: [{ name: 'old__pay', args: { n } }] })),
      { when: 'ask old;', calls: [{ name: 'old__ask' }] },
      { when: 'ask new;', calls: [{ name: 'new__ask' }] },
      ...['old__pay', 'old__ask', 'new__ask'].map((afterTool) => ({ afterTool, text: 'Done.' })),
    ],
  }
}

async function ran(home: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await atrium(home, args)
  assert.equal(code, 0, stderr)
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
async function ask(service: Serving, method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`)
  return answer.json()
}

function chat(service: Serving, message: string): Promise<{ status: string }> {
  return ask(service, 'POST', '/api/chat', { message })
}

async function statuses(service: Serving): Promise<string[]> {
  const { jobs } = await ask(service, 'GET', '/api/jobs?limit=200')
  return jobs.map(({ status }: { status: string }) => status)
}

/** Answers the question that outlived every kill. */
async function answerWaiting(service: Serving): Promise<void> {
  const { gates } = await ask(service, 'GET', '/api/gates')
  assert.deepEqual(
    gates.map(({ kind, name }: { kind: string; name: string }) => [kind, name]),
    [['input', 'new__ask']],
  )
  const [{ id, thread_id: thread }] = gates
  await ask(service, 'POST', `/api/threads/${thread}/gates/${id}`, { action: 'answer', values: { colour: 'teal' } })
  await until(async () => (await statuses(service)).every((status) => status === 'completed'))
}

async function threads(service: Serving): Promise<Thread[]> {
  const { threads: list } = await ask(service, 'GET', '/api/threads?limit=200')
  const read = ({ id }: { id: string }) => ask(service, 'GET', `/api/threads/${id}?limit=100`)
  return Promise.all(list.map(async (each: { id: string }) => ({ id: each.id, items: (await read(each)).items })))
}

/** `interrupted` when the service was killed; the server's own end when that was. */
const unknown = /may or may not have taken effect|closed the connection|ended by SIGKILL|was killed/

function check(all: readonly Thread[], effects: string): Ends {
  const paid = existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : []
  const ends = { done: 0, unknown: 0 }
  for (const { items } of all) {
    const said = items.find(({ role }) => role === 'user')?.content?.[0]?.text ?? ''
    const results = items.filter(({ type }) => type === 'result')
    assert.equal(results.length, 1, said)
    const output = results[0]?.output ?? ''
    if (said === 'ask new;') assert.match(output, /teal/)
    if (!said.startsWith('pay')) continue
    const times = paid.filter((n) => said === `pay ${n};`).length
    if (results[0]?.error) assert.match(output, unknown)
    else assert.match(output, /paid \d/)
    assert.ok(results[0]?.error ? times <= 1 : times === 1, `${said} was made ${times} times`)
    if (results[0]?.error) ends.unknown++
    else ends.done++
  }
  return ends
}
