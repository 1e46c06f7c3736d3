// Chat completions beside the Responses API: the same turn through both doors, and finding the thread of a long history.
import { join } from 'node:path'
import { operator } from '#core/ids.ts'
import { type Draft, textMessage } from '#core/item.ts'
import { newId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { noUsage } from '#core/turn.ts'
import { type ChainedItem, chainOfRequest, findThread } from '#doors/openai/find-thread.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { percentile } from './compare.ts'
import { type Load, streamTurn } from './load.ts'
import { createLoad } from './responses.ts'
import { startDoor, token } from './service.ts'
import { fixed, type Suite } from './suite.ts'
import { againstFloors } from './turns.ts'

const samples = 50
const warmUps = 200
const lease = { owner: 'bench', epoch: 1 }

export const completions: Suite = async (bench) => {
  const tables = await againstFloors(bench, 'chat completions and the Responses API', [
    { name: 'Responses API', child: await startDoor(bench), loadOf: createLoad },
    { name: 'chat completions', child: await startDoor(bench), loadOf: completionLoad },
  ])
  const path = join(bench.children.folder(), 'atrium.db')
  const store = openStore({ path, seal: createSeal('0'.repeat(64)) })
  const rows: string[][] = []
  for (const messages of [10, 500, 10_000]) rows.push(await matchRow(store, messages))
  await store.close()
  return [...tables, { title: 'Finding the thread of a history', columns: ['', 'p50 ms', 'max ms'], rows }]
}

/** A streaming completion. */
function completionLoad(inFlight: number, turns: number): Omit<Load, 'origin'> {
  const messages = [{ role: 'user', content: 'What is the capital of France, and why?' }]
  const body = JSON.stringify({ model: 'any', messages, stream: true })
  const runTurn = streamTurn({
    path: '/api/v1/chat/completions',
    headers: { authorization: `Bearer ${token}` },
    bodyOf: () => body,
    firstMark: '"content":" token',
    lastMark: '[DONE]',
  })
  return { inFlight, turns, runTurn }
}

/** Times hashing and look-up of a history whose last answer is in a thread. */
export async function matchRow(store: Store, messages: number, name = `${messages.toLocaleString('en')} messages`) {
  const history = historyOf(messages)
  await storeAnswer(store, history)
  const times: number[] = []
  for (let at = 0; at < warmUps + samples; at++) {
    const start = performance.now()
    const place = await findThread(store.threads, operator, await chainOfRequest(history))
    if (at >= warmUps) times.push(performance.now() - start)
    if (place.kind !== 'thread') throw new Error('the thread was not found')
  }
  return [name, fixed(percentile(times, 50), 2), fixed(Math.max(...times), 2)]
}

/** Messages of 200 characters; the last one is new. */
function historyOf(messages: number): ChainedItem[] {
  return Array.from({ length: messages + 1 }, (_, at) => ({
    type: 'message',
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `${at} some word `.padEnd(200, 'of a message ') }],
  }))
}

/** A thread whose client has seen this history up to its last answer. */
async function storeAnswer(store: Store, history: readonly ChainedItem[]): Promise<void> {
  const { history: chain } = await chainOfRequest(history.slice(0, -2))
  const answer = history.at(-2)
  const text = answer?.type === 'message' && answer.content[0]?.type === 'text' ? answer.content[0].text : ''
  const draft = (role: 'user' | 'assistant', words: string): Draft => ({ id: newId(), item: textMessage(role, words) })
  const { turn } = await store.turns.start({
    user: operator,
    door: 'completions',
    title: 'a thread',
    input: [draft('user', 'hello')],
    options: { chain },
    whenBusy: 'queue',
    lease,
  })
  const drafts = [draft('assistant', text)]
  await store.turns.record(turn, lease, { drafts, usage: noUsage, outcome: { status: 'completed' } })
}
