// OpenAI's chat completions, and Ollama's copy of them, as local servers that refuse what the real ones refuse.
import type { TestContext } from 'node:test'
import { type Asked, type Json, list, Refusal, type Reply, send, type Served, serveStrict } from './wire.ts'

export const openaiKey = 'sk-proj-test-0123456789'

const requestFields = new Set(
  'model stream stream_options temperature tools response_format messages max_completion_tokens'.split(' '),
)
const reasons = /^(o\d|gpt-5)/

export function serveOpenai(t: TestContext, ...replies: Reply[]): Promise<Served> {
  return serveStrict(t, (asked) => check(asked, true), replies)
}

/** It wants no key, and takes fields that it does not know. */
export function serveOllama(t: TestContext, ...replies: Reply[]): Promise<Served> {
  return serveStrict(t, (asked) => check(asked, false), replies)
}

function refuse(message: string, status = 400, code: string | null = null): never {
  throw new Refusal(status, { error: { message, type: 'invalid_request_error', param: null, code } })
}

function check({ url, headers, body }: Asked, strict: boolean): void {
  if (url !== '/v1/chat/completions') refuse(`Unknown request URL: POST ${url}`, 404)
  if (strict && headers.authorization === undefined) refuse("You didn't provide an API key.", 401)
  if (strict && headers.authorization !== `Bearer ${openaiKey}`)
    refuse('Incorrect API key provided', 401, 'invalid_api_key')
  const model = String(body['model'])
  if (strict) {
    const unknown = Object.keys(body).find((field) => !requestFields.has(field))
    if (unknown === 'max_tokens' && reasons.test(model)) {
      refuse(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      )
    }
    if (unknown) refuse(`Unrecognized request argument supplied: ${unknown}`)
    if (reasons.test(model) && ![undefined, 1].includes(body['temperature'] as number | undefined)) {
      refuse(
        "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) is supported.",
      )
    }
  }
  for (const tool of list(body['tools'])) checkTool(tool)
  checkMessages(list(body['messages']))
}

function checkTool(tool: Json): void {
  const { name, parameters, description } = tool['function'] as { name: string; parameters: Json; description?: string }
  if (tool['type'] !== 'function' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) refuse("Invalid 'tools[0].function.name'")
  if ((description?.length ?? 0) > 1024) refuse("Invalid 'tools[0].function.description': string too long.")
  const top = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].find((key) => key in parameters)
  if (parameters['type'] !== 'object' || top) {
    refuse(
      `Invalid schema for function '${name}': schema must have type 'object' and not have '${top ?? 'none'}' at the top level.`,
    )
  }
}

/** Every call has its result right behind its message, and no result stands alone. */
function checkMessages(messages: readonly Json[]): void {
  let open = new Set<string>()
  messages.forEach((message, at) => {
    const where = `messages[${at}]`
    if (message['role'] === 'tool') {
      if (!open.delete(String(message['tool_call_id']))) {
        refuse(
          `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.`,
        )
      }
      return
    }
    if (open.size > 0)
      refuse(`An assistant message with 'tool_calls' must be followed by tool messages. Missing: ${[...open].join()}`)
    const calls = list(message['tool_calls'])
    if ('tool_calls' in message && calls.length === 0) refuse(`${where}.tool_calls: [] is too short`)
    if (message['content'] === null && calls.length === 0) refuse(`${where}.content: expected a string, got null`)
    open = new Set(calls.map(({ id }) => String(id)))
    for (const call of calls) JSON.parse(String((call['function'] as Json)['arguments']))
  })
  if (open.size > 0) refuse(`An assistant message with 'tool_calls' must be followed by tool messages.`)
}

/** Answers with a text. */
export const saying =
  (...texts: string[]): Reply =>
  (response) => {
    const line = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
    const delta = (content: string) =>
      line({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] })
    const usage = { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } }
    const end = line({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    return send(response, [...texts.map(delta), end, line({ id: 'c', choices: [], usage }), 'data: [DONE]\n\n'])
  }
