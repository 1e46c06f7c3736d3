// A chat app in small: it keeps its own history and sends all of it with each message.
import assert from 'node:assert/strict'
import { isObject } from '#core/json.ts'
import type { Answer, Served, Wire } from '../responses/serve.ts'

export type Message = { readonly role: string; readonly content?: unknown; readonly [field: string]: unknown }

/** What an answer says, and where it stands. */
export type Said = {
  readonly status: number
  readonly text: string
  readonly reasoning: string
  readonly finish: unknown
  readonly calls: readonly Wire[]
  readonly thread: string
  readonly turn: string
  readonly error: Wire
  readonly body: Wire
}

export const user = (content: unknown): Message => ({ role: 'user', content })
export const assistant = (content: unknown, more: object = {}): Message => ({ role: 'assistant', content, ...more })
export const tool = (id: unknown, content: string): Message => ({ role: 'tool', tool_call_id: id, content })

export const weather = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}

export async function complete(
  served: Pick<Served, 'call'>,
  messages: readonly unknown[],
  more: object = {},
  headers: Record<string, string> = {},
): Promise<Said> {
  return said(await served.call('POST', '/v1/chat/completions', { model: 'gpt-test', messages, ...more }, headers))
}

export function said(answer: Answer): Said {
  const { status, headers, body, text } = answer
  const streamed = String(headers.get('content-type')).includes('event-stream')
  const whole = streamed ? joined(text) : body
  const choice: Wire = (whole['choices'] as Wire[] | undefined)?.[0] ?? {}
  const message = (choice['message'] ?? {}) as Wire
  return {
    status,
    text: typeof message['content'] === 'string' ? message['content'] : '',
    reasoning: typeof message['reasoning_content'] === 'string' ? message['reasoning_content'] : '',
    finish: choice['finish_reason'],
    calls: (message['tool_calls'] as Wire[] | undefined) ?? [],
    thread: headers.get('x-atrium-thread') ?? '',
    turn: headers.get('x-atrium-turn') ?? '',
    error: isObject(whole['error']) ? whole['error'] : {},
    body: whole,
  }
}

/** The chunks of a stream as one answer. Fails where a line is none of the protocol's. */
function joined(text: string): Wire {
  const lines = text.split('\n\n').filter((line) => line !== '' && !line.startsWith(':'))
  assert.equal(lines.pop(), 'data: [DONE]')
  let [content, reasoning] = ['', '']
  let finish: unknown = null
  const calls: Wire[] = []
  for (const line of lines) {
    assert.ok(line.startsWith('data: '), line)
    const chunk = JSON.parse(line.slice(6)) as Wire
    if (chunk['error']) return chunk
    const choice = (chunk['choices'] as Wire[])[0]
    const delta = (choice?.['delta'] ?? {}) as Wire
    content += typeof delta['content'] === 'string' ? delta['content'] : ''
    reasoning += typeof delta['reasoning_content'] === 'string' ? delta['reasoning_content'] : ''
    calls.push(...((delta['tool_calls'] as Wire[] | undefined) ?? []))
    finish = choice?.['finish_reason'] ?? finish
  }
  const message = { content, reasoning_content: reasoning, ...(calls.length > 0 && { tool_calls: calls }) }
  return { choices: [{ message, finish_reason: finish }] }
}
