// A month of use, as the pictures show it: turns of every door and four models, stored by a clock that stood in the past.
import { join } from 'node:path'
import { operator, type UserId, userId } from '#core/ids.ts'
import type { Door } from '#core/doors.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { lease, reply, say, step, turnOf } from '../store/harness.ts'

const dayMs = 86_400_000
const days = 45

const works: readonly (readonly [door: Door, user: UserId, title: string])[] = [
  ['webhook', userId('webhook:ci-bot'), 'acme/shop #479: dependency update'],
  ['web', operator, 'Weather for the Thursday site visit'],
  ['responses', operator, 'Translate release notes, 6 languages'],
  ['terminal', operator, 'Rename the staging buckets'],
  ['webhook', userId('webhook:billing'), 'Invoice totals for October'],
  ['web', operator, 'Why does the importer skip rows?'],
]
/** Which one answers, and what a turn costs; the first has most of the days. */
const models: readonly (readonly [name: string, usd: number])[] = [
  ['claude-sonnet-4.5', 0.16],
  ['gpt-5.1', 0.12],
  ['gemini-2.5-flash', 0.06],
  ['mistral-large', 0.03],
]

export async function fillPast(home: string): Promise<void> {
  let now = Date.now()
  const store = openStore({ path: join(home, 'atrium.db'), seal: createSeal('0'.repeat(64)), now: () => now })
  const today = Math.floor(now / dayMs) * dayMs
  for (let ago = days; ago >= 1; ago--) {
    for (const [at, [door, user, title]] of works.entries()) {
      // Less on the days of a weekend; no two days alike.
      const much =
        (new Date(today - ago * dayMs).getUTCDay() % 6 === 0 ? 0.2 : 1) * (0.6 + ((ago * 7 + at * 3) % 10) / 12)
      now = today - ago * dayMs + (9 + at) * 3_600_000
      const { turn } = await store.turns.start(turnOf({ user, door, title, input: [say(title)] }))
      const [model, usd] = models[(ago * 5 + at) % 7] ?? ['claude-sonnet-4.5', 0.16]
      const usage = {
        inputTokens: Math.round(31_000 * much),
        cachedTokens: 0,
        outputTokens: Math.round(2_700 * much),
        reasoningTokens: 0,
        costUsd: usd * much,
      }
      now += 28_000
      await store.turns.record(turn, lease, {
        ...step([{ ...reply('Done.'), asked: { model, usage, ms: 900 } }]),
        usage: { ...usage, model },
        first: true,
        outcome: ago === 1 && at === 2 ? failed : { status: 'completed' },
      })
    }
  }
  await store.close()
}

const failed = {
  status: 'failed',
  error: { code: 'turn_timeout', message: 'Passed its 120 s limit. Send it with stream: true.' },
} as const
