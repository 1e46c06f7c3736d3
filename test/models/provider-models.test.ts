// The models that a provider lists itself: the wire of each, and what goes wrong.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { listProviderModels } from '#models/provider-models.ts'
import { rejectsWith } from '../store/harness.ts'

async function serve(t: TestContext, answer: (request: IncomingMessage) => { status?: number; body: unknown }) {
  const server = createServer((request, response) => {
    const { status = 200, body } = answer(request)
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

for (const [provider, header, body] of [
  ['openai', 'authorization', { data: [{ id: 'a' }, { id: 'b' }, { id: 'a' }, { id: 3 }, null] }],
  ['anthropic', 'x-api-key', { data: [{ id: 'a' }, { id: 'b', display_name: 'B' }] }],
  [
    'google',
    'x-goog-api-key',
    {
      models: [
        { name: 'models/a', supportedGenerationMethods: ['generateContent'] },
        { name: 'models/embed', supportedGenerationMethods: ['embedContent'] },
        { name: 'models/b' },
      ],
    },
  ],
] as const) {
  test(`the models of ${provider} are listed with its key`, async (t) => {
    const asked: string[] = []
    const baseUrl = await serve(t, ({ url, headers }) => {
      asked.push(`${url?.split('?')[0]} ${String(headers[header])}`)
      return { body }
    })
    assert.deepEqual(await listProviderModels({ provider, baseUrl, apiKey: 'k' }), ['a', 'b'])
    assert.deepEqual(asked, [`/v1/models ${header === 'authorization' ? 'Bearer k' : 'k'}`])
  })
}

test('a refused key, a redirect, an odd answer and no answer say what to do', async (t) => {
  const answers = [
    [{ status: 401, body: {} }, 'model_unauthorized'],
    [{ status: 302, body: {} }, 'model_failed'],
    [{ body: '<html>' }, 'model_failed'],
    [{ body: `{"data":[{"id":"a","more":${'['.repeat(200)}${']'.repeat(200)}}]}` }, 'model_failed'],
    [{ body: `"${'x'.repeat(5 * 1024 * 1024)}"` }, 'model_failed'],
  ] as const
  for (const [answer, code] of answers) {
    const baseUrl = await serve(t, () => answer)
    await rejectsWith(listProviderModels({ provider: 'ollama', baseUrl }), code)
  }
  await rejectsWith(listProviderModels({ provider: 'ollama', baseUrl: 'http://127.0.0.1:9/v1' }), 'model_unreachable')
  assert.deepEqual(await listProviderModels({ provider: 'offline' }), ['offline'])
})
