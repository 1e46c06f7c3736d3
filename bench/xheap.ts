import { createChildren } from './children.ts'
import { readConfig } from '#config.ts'
import { operator } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { openHall } from '#hall.ts'
import { silentLog } from '#lib/log.ts'
import { writeHeapSnapshot } from 'node:v8'
const children = createChildren()
const { origin: model } = await children.start('mock-model.ts')
const env = { ATRIUM_HOME: children.folder(), LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'mock-1', LLM_BASE_URL: `${model}/v1`, LLM_API_KEY: 'key-of-the-mock' }
const hall = await openHall({ configure: (settings) => readConfig(env, settings), log: silentLog })
async function turn() {
  const { events } = await hall.turns.start({ user: operator, door: 'responses', input: [textMessage('user', 'What is the capital of France, and why?')], options: {}, whenBusy: 'refuse' })
  for await (const _ of events);
}
const show = (w: string) => { const m = process.memoryUsage(); console.log(w, 'rss', (m.rss / 1e6).toFixed(0), 'heapTotal', (m.heapTotal / 1e6).toFixed(0), 'heapUsed', (m.heapUsed / 1e6).toFixed(1), 'ext', (m.external / 1e6).toFixed(1)) }
for (let r = 0; r < 4; r++) {
  await Promise.all(Array.from({ length: 16 }, async () => { for (let i = 0; i < 300; i++) await turn() }))
  show(`${(r + 1) * 4800} turns`)
  globalThis.gc?.()
  show('  after gc')
}
if (process.argv[2]) writeHeapSnapshot(process.argv[2])
process.exit(0)
