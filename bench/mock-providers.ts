// One server for all provider formats: it answers with the same 20 prepared tokens, in the format of the request's path.
import { createServer } from 'node:http'
import { listen } from './measured.ts'

const tokens = Array.from({ length: 20 }, (_, at) => ` token${at}`)
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const event = (type: string, fields: object): string => `event: ${type}\n${data({ type, ...fields })}`

const chat = [
  ...tokens.map((content) => data({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
  data({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  data({ id: 'c', choices: [], usage: { prompt_tokens: 50, completion_tokens: 20 } }),
  'data: [DONE]\n\n',
].join('')

const message = { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [], stop_reason: null }
const anthropic = [
  event('message_start', { message: { ...message, usage: { input_tokens: 50, output_tokens: 1 } } }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ...tokens.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
  event('content_block_stop', { index: 0 }),
  event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 20 } }),
  event('message_stop', {}),
].join('')

const counts = { promptTokenCount: 50, candidatesTokenCount: 20, totalTokenCount: 70 }
const google = tokens
  .map((text, at) => {
    const end = at === tokens.length - 1 && { finishReason: 'STOP' }
    return data({ candidates: [{ content: { role: 'model', parts: [{ text }] }, ...end }], usageMetadata: counts })
  })
  .join('')

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const url = request.url ?? ''
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(url.endsWith('/messages') ? anthropic : url.includes('streamGenerateContent') ? google : chat)
  })
})
listen(server)
