// Anthropic's messages API as a local server: it refuses what the real one refuses.
import type { TestContext } from 'node:test'
import { type Asked, type Json, list, Refusal, type Reply, send, type Served, serveStrict } from './wire.ts'

export const anthropicKey = 'sk-ant-api03-test-0123456789'
/** The one signature that this server has ever made, for each text. */
export const signatureOf = (thinking: string): string => `sig:${Buffer.from(thinking).toString('base64')}`

const topLevel = ['oneOf', 'anyOf', 'allOf']
const requestFields = new Set(
  'model max_tokens messages system stream temperature top_p tools tool_choice thinking output_config metadata stop_sequences'.split(
    ' ',
  ),
)
/** These think by themselves and take no sampling parameters. */
const withoutSampling = /claude-(sonnet-5|opus-5|opus-4-7|opus-4-8|haiku-5|fable)/

export function serveAnthropic(t: TestContext, ...replies: Reply[]): Promise<Served> {
  return serveStrict(t, check, replies)
}

function refuse(message: string, status = 400, type = 'invalid_request_error'): never {
  throw new Refusal(status, { type: 'error', error: { type, message }, request_id: 'req_1' })
}

function check({ url, headers, body }: Asked): void {
  if (url !== '/v1/messages') refuse(`Not found: ${url}`, 404, 'not_found_error')
  if (headers['anthropic-version'] === undefined) refuse('anthropic-version: header is required')
  if (headers['x-api-key'] === undefined) refuse('x-api-key header is required', 401, 'authentication_error')
  if (headers['x-api-key'] !== anthropicKey) refuse('invalid x-api-key', 401, 'authentication_error')
  for (const field of Object.keys(body))
    if (!requestFields.has(field)) refuse(`${field}: Extra inputs are not permitted`)
  if (!Number.isInteger(body['max_tokens'])) refuse('max_tokens: Field required')
  if (String(body['model']).includes('nowhere')) refuse(`model: ${String(body['model'])}`, 404, 'not_found_error')
  if (body['temperature'] !== undefined) {
    const warmth = Number(body['temperature'])
    if (warmth < 0 || warmth > 1) refuse('temperature: range: 0..1')
    if (withoutSampling.test(String(body['model']))) refuse('`temperature` is deprecated for this model.')
  }
  for (const block of list(body['system']))
    if (String(block['text']).trim() === '') refuse('system: text content blocks must be non-empty')
  list(body['tools']).forEach(checkTool)
  checkMessages(list(body['messages']))
  const marks = JSON.stringify(body).split('"cache_control":').length - 1
  if (marks > 4) refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`)
}

function checkTool(tool: Json, at: number): void {
  const name = `tools.${at}.custom`
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool['name']))) refuse(`${name}.name: String should match pattern`)
  const schema = tool['input_schema'] as Json | undefined
  if (schema?.['type'] !== 'object') refuse(`${name}.input_schema.type: Field required`)
  for (const key of topLevel) {
    if (key in (schema ?? {}))
      refuse(`${name}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`)
  }
}

function checkMessages(messages: readonly Json[]): void {
  if (messages.length === 0) refuse('messages: at least one message is required')
  messages.forEach((message, at) => {
    const blocks =
      typeof message['content'] === 'string' ? [{ type: 'text', text: message['content'] }] : list(message['content'])
    const role = message['role']
    if (role !== 'user' && role !== 'assistant') refuse(`messages.${at}.role: unexpected role`)
    if (at === 0 && role !== 'user') refuse('messages: first message must use the "user" role')
    if (role === messages[at - 1]?.['role']) refuse('messages: roles must alternate between "user" and "assistant"')
    if (blocks.length === 0) refuse(`messages.${at}: all messages must have non-empty content`)
    blocks.forEach((block, index) => checkBlock(block, `messages.${at}.content.${index}`, role))
    if (role === 'assistant' && String(blocks.at(-1)?.['type']).includes('thinking')) {
      refuse(`messages.${at}: The final block in an assistant message cannot be \`thinking\`.`)
    }
    checkResults(messages, at)
  })
  if (messages.at(-1)?.['role'] === 'assistant') {
    refuse('This model does not support assistant message prefill. The conversation must end with a user message.')
  }
}

function checkBlock(block: Json, where: string, role: string): void {
  switch (block['type']) {
    case 'text':
      if (String(block['text']).trim() === '') refuse(`${where}: text content blocks must contain non-whitespace text`)
      break
    case 'image':
      checkImage(block['source'] as Json, where)
      break
    case 'tool_use':
      if (role !== 'assistant') refuse(`${where}: tool_use blocks can only be in assistant messages`)
      if (!/^[a-zA-Z0-9_-]+$/.test(String(block['id']))) refuse(`${where}.tool_use.id: String should match pattern`)
      if (typeof block['input'] !== 'object') refuse(`${where}.tool_use.input: Input should be a valid dictionary`)
      break
    case 'tool_result':
      if (role !== 'user') refuse(`${where}: tool_result blocks can only be in user messages`)
      if (block['is_error'] === true && block['content'] === '')
        refuse(`${where}: content cannot be empty if is_error is true`)
      break
    case 'thinking':
      if (block['signature'] !== signatureOf(String(block['thinking'])))
        refuse(`${where}: Invalid \`signature\` in \`thinking\` block`)
      break
    case 'redacted_thinking':
      if (block['data'] !== 'redacted-1') refuse(`${where}: Invalid \`data\` in \`redacted_thinking\` block`)
      break
    default:
      refuse(`${where}: Input tag '${String(block['type'])}' found does not match any of the expected tags`)
  }
}

function checkImage(source: Json, where: string): void {
  const types = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
  if (source['type'] === 'base64') {
    if (!types.includes(String(source['media_type'])))
      refuse(`${where}.image.source.base64.media_type: Input should be ${types.join(', ')}`)
    if (!/^[A-Za-z0-9+/]+=*$/.test(String(source['data']))) refuse(`${where}.image.source.base64: invalid base64 data`)
  } else if (source['type'] !== 'url' || !/^https?:/.test(String(source['url'])))
    refuse(`${where}.image.source: unknown`)
}

/** The results of a message's calls stand at the front of the next, all of them and no others. */
function checkResults(messages: readonly Json[], at: number): void {
  const idsOf = (message: Json | undefined, type: string, key: string): string[] =>
    list(message?.['content'])
      .filter((block) => block['type'] === type)
      .map((block) => String(block[key]))
  const results = idsOf(messages[at], 'tool_result', 'tool_use_id')
  const before = idsOf(messages[at - 1], 'tool_use', 'id')
  const stray = results.find((id) => !before.includes(id))
  if (stray !== undefined)
    refuse(`messages.${at}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`)
  const open = idsOf(messages[at], 'tool_use', 'id')
  const next = list(messages[at + 1]?.['content']).slice(0, open.length)
  const answered = next.filter((block) => block['type'] === 'tool_result').map((block) => String(block['tool_use_id']))
  const missing = open.filter((id) => !answered.includes(id))
  if (missing.length > 0) {
    refuse(
      `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`,
    )
  }
}

export const event = (type: string, fields: Json = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

export type Block =
  | { readonly text: readonly string[] }
  | { readonly thinking: string }
  | { readonly redacted: string }
  | { readonly call: { readonly name: string; readonly pieces: readonly string[] } }

/** The events of one message. */
export function messageEvents(
  blocks: readonly Block[],
  more: { usage?: Json; stop?: string; output?: Json } = {},
): string[] {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
    ...more.usage,
  }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [],
    stop_reason: null,
    usage,
  }
  const called = blocks.some((block) => 'call' in block)
  return [
    event('message_start', { message }),
    event('ping'),
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    event('message_delta', {
      delta: { stop_reason: more.stop ?? (called ? 'tool_use' : 'end_turn'), stop_sequence: null },
      usage: { output_tokens: 7, ...more.output },
    }),
    event('message_stop'),
  ]
}

function blockEvents(block: Block, index: number): string[] {
  const start = (content_block: Json): string => event('content_block_start', { index, content_block })
  const delta = (fields: Json): string => event('content_block_delta', { index, delta: fields })
  const stop = event('content_block_stop', { index })
  if ('text' in block) {
    return [start({ type: 'text', text: '' }), ...block.text.map((text) => delta({ type: 'text_delta', text })), stop]
  }
  if ('thinking' in block) {
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      delta({ type: 'thinking_delta', thinking: block.thinking }),
      delta({ type: 'signature_delta', signature: signatureOf(block.thinking) }),
      stop,
    ]
  }
  if ('redacted' in block) return [start({ type: 'redacted_thinking', data: block.redacted }), stop]
  const { name, pieces } = block.call
  return [
    start({ type: 'tool_use', id: `toolu_${index}`, name, input: {} }),
    ...pieces.map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
    stop,
  ]
}

/** Answers with a message. */
export const saying =
  (blocks: readonly Block[], more?: Parameters<typeof messageEvents>[1]): Reply =>
  (response) =>
    send(response, messageEvents(blocks, more))
