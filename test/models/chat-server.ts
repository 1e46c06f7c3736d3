// A local server that speaks chat completions, as a test tells it to, and the client that talks to it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as tick } from 'node:timers/promises'
import type { TestContext } from 'node:test'
import type { Model, ModelEvent } from '#core/model.ts'
import { type ChatModelParts, createChatModel } from '#models/chat.ts'
import { listen } from './wire.ts'

export type Handler = (response: ServerResponse, body: string, request: IncomingMessage) => void | Promise<void>

export const key = 'sk-test-0123456789abcdef'
export const never = new AbortController().signal

/** A server for one test, and a model that talks to it and never really waits. */
export async function serve(t: TestContext, handler: Handler, parts: Partial<ChatModelParts> = {}) {
  const bodies: string[] = []
  const slept: number[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    bodies.push(body)
    await handler(response, body, request)
  }
  const { server, port } = await listen(t, answer)
  const sleep = async (ms: number): Promise<void> => void slept.push(ms)
  const open = (more: Partial<ChatModelParts> = {}): Model =>
    createChatModel({
      provider: 'openai-compatible',
      name: 'mock-1',
      baseUrl: `http://127.0.0.1:${port}/v1`,
      apiKey: key,
      sleep,
      random: () => 1,
      ...parts,
      ...more,
    })
  return { model: open(), open, bodies, slept, port, server }
}

export const line = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
export const delta = (fields: object, finish: string | null = null): string =>
  line({ id: 'c1', created: 1, choices: [{ index: 0, delta: fields, finish_reason: finish }] })
export const stop = delta({}, 'stop')
export const done = 'data: [DONE]\n\n'
export const callsOf = (events: readonly ModelEvent[]): [string, string][] =>
  events.flatMap((event): [string, string][] => (event.type === 'call' ? [[event.name, event.args]] : []))

/** Sends pieces one socket write each. */
export function streaming(...pieces: (string | Buffer)[]): Handler {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) {
      response.write(piece)
      await tick()
    }
    response.end()
  }
}
