// A model server whose answers wait for the test: none ends before the test has seen what it looks for.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { until } from './until.ts'

export type PausedModel = {
  /** What a service must know to ask it. */
  readonly env: Readonly<Record<string, string>>
  /** Lets the answers that wait go on by one part, once there is one. */
  goOn(): Promise<void>
  close(): void
}

type Body = { readonly messages: readonly { readonly role: string; readonly content: unknown }[] }

/** Answers a message with its parts, one at a time; any other message at once, with its own words. */
export async function openPausedModel(answers: Readonly<Record<string, readonly string[]>>): Promise<PausedModel> {
  let next = Promise.withResolvers<void>()
  let waiting = 0
  const server = createServer((request, response) => {
    void (async () => {
      const said = textOf((await json(request)) as Body)
      const parts = answers[said] ?? [`You said: ${said}`]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const [at, part] of parts.entries()) {
        if (at > 0) {
          waiting++
          await next.promise
          waiting--
        }
        write(response, { index: 0, delta: { content: part } })
      }
      write(response, { index: 0, delta: {}, finish_reason: 'stop' })
      response.end('data: [DONE]\n\n')
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    env: { LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: `http://127.0.0.1:${port}/v1`, LLM_MODEL: 'paused' },
    async goOn() {
      await until(() => waiting > 0)
      next.resolve()
      next = Promise.withResolvers()
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function write(response: ServerResponse, choice: object): void {
  response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`)
}

function textOf({ messages }: Body): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : ''
}
