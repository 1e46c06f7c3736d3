// Turns in which skills are used: an app with a scripted model, and tools that only look.
import type { TestContext } from 'node:test'
import type { UserId } from '#core/ids.ts'
import type { Item, Result } from '#core/item.ts'
import type { ModelRequest } from '#core/model.ts'
import type { Tool } from '#core/tool.ts'
import type { Turn } from '#core/turn.ts'
import { openTestApp, says, type Say, type TestApp, type TestAppOptions } from '../doors/test-app.ts'
import { ada } from '../store/harness.ts'

export async function open(t: TestContext, options: TestAppOptions = {}): Promise<TestApp> {
  const app = await openTestApp(options)
  t.after(() => app.close())
  return app
}

/** Sends a message and returns the turn at its rest with the thread's items. */
export async function send(
  app: TestApp,
  text: string,
  more: { user?: UserId; threadId?: string; door?: Turn['door'] } = {},
) {
  const { user = ada, threadId, door = 'web' } = more
  const input: Item[] = [{ type: 'message', role: 'user', content: [{ type: 'text', text }] }]
  const started = await app.turns.start({
    user,
    door,
    input,
    options: {},
    whenBusy: 'queue',
    ...(threadId !== undefined && { threadId }),
  })
  let turn = started.turn
  for await (const batch of started.events) for (const event of batch) if (event.type === 'turn') turn = event.turn
  const { entries } = await app.threads.entries(user, turn.threadId, { after: 0, limit: 1_000 })
  return { turn, items: entries.map(({ item }) => item) }
}

/** A model that answers one reply after the other, and notes what it was asked. */
export function scripted(...replies: ReturnType<typeof says>[]): { say: Say; asked: ModelRequest[] } {
  const asked: ModelRequest[] = []
  return {
    asked,
    say(request) {
      asked.push({ ...request, items: [...request.items] })
      return replies[asked.length - 1] ?? says('done')
    },
  }
}

export const resultsIn = (items: readonly Item[]): Result[] => items.filter((item) => item.type === 'result')

export function reader(ran: string[], name = 'look'): Tool {
  return {
    spec: { name, description: 'Looks.', parameters: { type: 'object' } },
    effects: 'read',
    repeatable: true,
    untrusted: false,
    run: () => Promise.resolve(String(ran.push(name))),
  }
}
