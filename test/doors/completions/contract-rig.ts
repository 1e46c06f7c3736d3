// A served model for the contract of chat completions: replies by what a message has.
import { type TestContext } from 'node:test'
import { userId } from '#core/ids.ts'
import type { Reply } from '#models/script.ts'
import { serve, type Served, type ServeParts } from '../responses/serve.ts'

export const ann = userId('ann')

const replies: Reply[] = [
  { when: 'filter', text: 'So far', error: { code: 'model_filtered', message: 'withheld', afterChunks: 2 } },
  { when: 'fail', error: { code: 'model_failed', message: 'broke' } },
  { when: 'half', text: 'Half an answer', error: { code: 'model_failed', message: 'broke', afterChunks: 1 } },
  { when: 'slow', text: 'one two', chunkDelayMs: 60_000 },
  { when: 'silent', text: 'one two', delayMs: 60_000 },
  { when: 'withheld', error: { code: 'model_filtered', message: 'withheld' } },
  { when: 'think', reasoning: 'hm', text: 'Hello.' },
  { when: 'clock', calls: [{ name: 'time', args: {} }] },
  { afterTool: 'time', reasoning: 'hm', text: 'Noon.' },
  { when: '', text: 'Hello there.' },
]

export async function openContract(t: TestContext, parts: ServeParts = {}): Promise<Served> {
  const served = await serve({ replies, ...parts })
  t.after(() => served.close())
  return served
}

export const turns = (served: Served): Promise<number> => served.turns.countAll(ann)
