// The CPU time of one model call of 20 tokens, for our own client and for the AI SDK packages.
import { textMessage } from '#core/item.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import { openModel } from '#models/open-model.ts'
import { median } from './compare.ts'
import { fixed, type Suite } from './suite.ts'

const inFlight = 16
const never = new AbortController().signal
const noSecret = (): Promise<undefined> => Promise.resolve(undefined)
const request: ModelRequest = {
  system: 'Be brief.',
  items: [textMessage('user', 'What is the capital of France, and why?')],
  tools: [],
}

export const providers: Suite = async ({ children, scale }) => {
  const { origin } = await children.start(import.meta.resolve('./mock-providers.ts'))
  const models: readonly [client: string, model: Model][] = [
    ['lean (openai-compatible)', await open('openai-compatible', 'm', `${origin}/v1`)],
    ['anthropic', await open('anthropic', 'claude-sonnet-4-6', `${origin}/v1`)],
    ['google', await open('google', 'gemini-2.5-flash', `${origin}/v1beta`)],
  ]
  const rows: string[][] = []
  for (const [client, model] of models) {
    await cpuMsOf(model, scale.turns.many)
    const times: number[] = []
    for (let round = 0; round < scale.rounds; round++) times.push(await cpuMsOf(model, scale.turns.many))
    rows.push([client, fixed(median(times), 2)])
  }
  return [{ title: `A call of 20 tokens, ${inFlight} in flight`, columns: ['client', 'CPU ms'], rows }]
}

function open(provider: 'openai-compatible' | 'anthropic' | 'google', name: string, baseUrl: string): Promise<Model> {
  return openModel({ provider, name, baseUrl, apiKey: 'k' }, { secret: noSecret, proxy: {} })
}

async function cpuMsOf(model: Model, calls: number): Promise<number> {
  const before = process.cpuUsage()
  let left = calls
  const work = async (): Promise<void> => {
    while (left-- > 0) await readWhole(model)
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / calls
}

async function readWhole(model: Model): Promise<void> {
  let texts = 0
  for await (const batch of model.stream(request, never)) {
    for (const event of batch) if (event.type === 'text') texts += 1
  }
  if (texts !== 20) throw new Error(`${model.provider} gave ${texts} tokens instead of 20`)
}
