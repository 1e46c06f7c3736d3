// A model server that counts: how often each message was asked about tells whether a turn was run once.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type ModelServer = {
  /** What a replica must know to ask it. */
  readonly env: Record<string, string>
  readonly host: string
  close(): Promise<void>
}
export type CountingModel = ModelServer & {
  /** Times each message was asked about. */
  readonly asked: ReadonlyMap<string, number>
}

export type ModelMessage = { readonly role: string; readonly content: unknown }

/** Answers `echo` and the last message, after a while. */
export async function startModel(delayMs: number): Promise<CountingModel> {
  const asked = new Map<string, number>()
  const server = await startModelServer(async (request, response) => {
    const said = lastSaid(await messagesOf(request))
    asked.set(said, (asked.get(said) ?? 0) + 1)
    await sleep(delayMs)
    startAnswer(response)
    response.end(textChunk(`echo ${said}`) + lastChunks('stop', { prompt: 1, completion: 1 }))
  })
  return { ...server, asked }
}

/** A server for requests of the model client. What its handler throws cuts the connection. */
export async function startModelServer(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<ModelServer> {
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: {
      LLM_PROVIDER: 'openai-compatible',
      LLM_BASE_URL: `http://${host}/v1`,
      LLM_MODEL: 'counting',
      LLM_API_KEY: 'x',
    },
    host,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The messages of a request. */
export async function messagesOf(request: IncomingMessage): Promise<readonly ModelMessage[]> {
  const body = (await new Response(ReadableStream.from<Uint8Array>(request)).json()) as { messages: ModelMessage[] }
  return body.messages
}

/** The text of the last message of the user. */
export function lastSaid(messages: readonly ModelMessage[]): string {
  return textIn(messages.findLast(({ role }) => role === 'user')?.content)
}

export function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : ''
}

export function startAnswer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

export function textChunk(text: string): string {
  return chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] })
}

export function callChunk(name: string, args: object): string {
  const call = { index: 0, id: 'c1', type: 'function', function: { name, arguments: JSON.stringify(args) } }
  return chunk({ choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [call] }, finish_reason: null }] })
}

/** The end of an answer, with its tokens. */
export function lastChunks(reason: 'stop' | 'tool_calls', used: { prompt: number; completion: number }): string {
  const { prompt, completion } = used
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
  const end = { choices: [{ index: 0, delta: {}, finish_reason: reason }] }
  return `${chunk(end)}${chunk({ choices: [], usage })}data: [DONE]\n\n`
}

function chunk(value: object): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...value })}\n\n`
}
