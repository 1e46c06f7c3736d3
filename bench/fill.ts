// Writes threads with a history through the store, each as one turn with all messages as its input.
import { newId, operator } from '#core/ids.ts'
import { type Draft, textMessage } from '#core/item.ts'
import { noUsage } from '#core/turn.ts'
import type { App } from '#app.ts'

/** The most writes that one commit takes. */
const batchSize = 256

/** Adds idle threads, each with the messages of `turns` turns; returns their ids. */
export async function fill(app: App, { threads, turns }: { threads: number; turns: number }): Promise<string[]> {
  const ids: string[] = []
  for (let from = 0; from < threads; from += batchSize) {
    const some = Array.from({ length: Math.min(batchSize, threads - from) }, () => fillThread(app, turns))
    ids.push(...(await Promise.all(some)))
  }
  return ids
}

async function fillThread({ store, runner }: App, turns: number): Promise<string> {
  const lease = runner.room(0)
  if (!lease) throw new Error('the app has no room')
  const input = Array.from({ length: turns }, (_, at) => [
    draft('user', `message ${at} of a thread that was written beforehand`),
    draft('assistant', `answer ${at}: ${'some word '.repeat(12)}`),
  ]).flat()
  const { turn } = await store.turns.start({
    user: operator,
    door: 'responses',
    title: 'a thread of the past',
    input,
    options: {},
    whenBusy: 'refuse',
    lease,
  })
  await store.turns.record(turn, lease, { drafts: [], usage: noUsage, outcome: { status: 'completed' } })
  return turn.threadId
}

function draft(role: 'user' | 'assistant', text: string): Draft {
  return { id: newId(), item: textMessage(role, text) }
}
