// An agent of another library behind a minimal HTTP server, as its users would write it: a message in, text deltas out as
// server-sent events. `node peer-server.ts PACKAGE FOLDER MODEL-ORIGIN`; the folder has the package in its node_modules.
import { createServer } from 'node:http'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { listen } from './measured.ts'

const [name = '', folder = '', origin = ''] = process.argv.slice(2)
const parentURL = pathToFileURL(join(folder, 'package.json')).href
// Packages that are imported by this file are those of the folder.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, context.parentURL === import.meta.url ? { ...context, parentURL } : context),
})
const load = (specifier: string) => import(specifier)
const instructions = 'You are a helpful agent.'
const [baseURL, apiKey, model] = [`${origin}/v1`, 'key-of-the-mock', 'mock-1']

/** The text deltas of the answer to a message. */
type Ask = (message: string) => Promise<AsyncIterable<string>>

const askers: Readonly<Record<string, () => Promise<Ask>>> = {
  async '@openai/agents'() {
    const { Agent, run, OpenAIChatCompletionsModel, setTracingDisabled } = await load('@openai/agents')
    const { default: OpenAI } = await load('openai')
    setTracingDisabled(true)
    const client = new OpenAI({ baseURL, apiKey })
    const agent = new Agent({ name: 'peer', instructions, model: new OpenAIChatCompletionsModel(client, model) })
    return async (message) => (await run(agent, message, { stream: true })).toTextStream()
  },
  async '@mastra/core'() {
    const { Agent } = await load('@mastra/core/agent')
    const agent = new Agent({
      id: 'peer',
      name: 'peer',
      instructions,
      model: { id: `mock/${model}`, url: baseURL, apiKey },
    })
    return async (message) => (await agent.stream(message)).textStream
  },
}

const open = askers[name]
if (!open) throw new Error(`there is no peer ${name}`)
const ask = await open()

const server = createServer((incoming, response) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: string }[] }
    answer(messages.at(-1)?.content ?? '').catch((error: unknown) => {
      console.error(error)
      response.destroy()
    })
  })
  async function answer(message: string): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for await (const delta of await ask(message)) response.write(`data: ${JSON.stringify(delta)}\n\n`)
    response.end('data: [DONE]\n\n')
  }
})
listen(server)
