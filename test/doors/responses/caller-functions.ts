// The caller's functions of a test: a script whose model calls them, and the items of a call and its output.
import assert from 'node:assert/strict'
import type { Reply } from '#models/script.ts'
import { outputOf, type Served, weather, type Wire } from './serve.ts'

export const replies: Reply[] = [
  { when: 'weather', text: 'Let me look.', calls: [{ name: 'get_weather', args: { city: 'Rome' } }] },
  {
    when: 'both',
    calls: [
      { name: 'get_weather', args: { city: 'Rome' } },
      { name: 'time', args: {} },
      { name: 'get_weather', args: { city: 'Oslo' } },
    ],
  },
  { when: 'exact', calls: [{ name: 'get_weather', args: '{"id": 9007199254740993, "price": 1.10}' }] },
  { afterTool: 'get_weather', text: 'I heard: {{result}}' },
  { when: '', text: 'Hello.' },
]
export const tools = [weather]

export function callOf(body: Wire): Wire {
  const call = outputOf(body).find(({ type }) => type === 'function_call')
  assert.ok(call, `no call in ${JSON.stringify(body)}`)
  return call
}

export function outputFor(body: Wire, output: unknown = 'sunny'): Wire {
  return { type: 'function_call_output', call_id: callOf(body)['call_id'], output }
}

/** Asks a service with the functions on offer, and brings it the output of a call. */
export function callsOf(served: () => Served) {
  return {
    ask: async (input = 'weather?'): Promise<Wire> => (await served().create({ input, tools })).body,
    resume: (body: Wire, output?: unknown, more: Wire = {}) =>
      served().create({ previous_response_id: body['id'], input: [outputFor(body, output)], ...more }),
  }
}
