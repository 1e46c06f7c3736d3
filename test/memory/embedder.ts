// A server that speaks OpenAI's embeddings and knows a few concepts: words of one concept have one direction.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

const concepts = ['car automobile vehicle motor', 'dog puppy hound', 'money salary wage pay', 'sea ocean coast']
/** Of a text without any of them. */
const elsewhere = concepts.length
export const size = concepts.length + 1

export type Embedder = {
  readonly baseUrl: string
  /** The texts of each request, and what came with it. */
  readonly asked: { readonly texts: readonly string[]; readonly model: string; readonly key: string | undefined }[]
  /** What it does now. `hangs`: it takes requests and answers none. */
  mode: 'answers' | 'hangs' | 'fails' | 'refuses'
  /** Requests that are not answered. */
  readonly held: ServerResponse[]
}

/** A text with `unreadable` in it is refused, and so is one that is longer than `maxChars`. */
export async function startEmbedder(t: TestContext, maxChars = 1e6): Promise<Embedder> {
  function answer(body: string, key: string | undefined, response: ServerResponse): unknown {
    const { input, model } = JSON.parse(body) as { input: string[]; model: string }
    embedder.asked.push({ texts: input, model, key })
    const reply = (status: number, content: object) => response.writeHead(status).end(JSON.stringify(content))
    if (embedder.mode === 'hangs') return embedder.held.push(response)
    if (embedder.mode === 'fails') return reply(500, { error: { message: `no room for ${key}` } })
    const bad = input.some((text) => text.includes('unreadable') || text.length > maxChars)
    if (bad || embedder.mode === 'refuses') return reply(400, { error: { message: 'input is too long' } })
    // In another order than asked: the index tells.
    return reply(200, { data: input.map((text, index) => ({ index, embedding: vectorOf(text, model) })).toReversed() })
  }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => (body += piece))
    request.on('end', () => answer(body, request.headers.authorization, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const embedder: Embedder = { baseUrl: `http://127.0.0.1:${port}/v1`, asked: [], mode: 'answers', held: [] }
  return embedder
}

/** Another model has more numbers, and other ones. */
export function vectorOf(text: string, model = 'concepts'): number[] {
  const vector = new Float32Array(size)
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const at = concepts.findIndex((each) => each.split(' ').includes(word))
    if (at >= 0) vector[at] = (vector[at] ?? 0) + 1
  }
  if (vector.every((each) => each === 0)) vector[elsewhere] = 1
  return model === 'concepts' ? [...vector] : [...vector.toReversed(), 0, 0]
}
