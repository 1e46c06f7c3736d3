// A model server that counts: how often each message was asked about tells whether a turn was run once.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type CountingModel = {
  /** What a replica must know to ask it. */
  readonly env: Record<string, string>
  /** Times each message was asked about. */
  readonly asked: ReadonlyMap<string, number>
  close(): Promise<void>
}

type Body = { messages: { role: string; content: unknown }[] }

/** Answers `echo` and the last message, after a while. */
export async function startModel(delayMs: number): Promise<CountingModel> {
  const asked = new Map<string, number>()
  const server = createServer((request, response) => {
    void (async () => {
      const body = (await new Response(ReadableStream.from<Uint8Array>(request)).json()) as Body
      const said = textOf(body)
      asked.set(said, (asked.get(said) ?? 0) + 1)
      await sleep(delayMs)
      answer(response, `echo ${said}`)
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    env: {
      LLM_PROVIDER: 'openai-compatible',
      LLM_BASE_URL: `http://127.0.0.1:${port}/v1`,
      LLM_MODEL: 'counting',
      LLM_API_KEY: 'x',
    },
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function textOf({ messages }: Body): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : ''
}

function answer(response: ServerResponse, text: string): void {
  const chunk = (value: object): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...value })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] }) +
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
      chunk({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }) +
      'data: [DONE]\n\n',
  )
}
