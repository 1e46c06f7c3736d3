// Finding the models of an Ollama on this machine.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { ollamaModels } from '#models/ollama.ts'

test('the models of an Ollama are listed; another server, and none, are no Ollama', async (context) => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/api/tags' ? 200 : 404
    response.end(JSON.stringify({ models: [{ name: 'qwen3:8b' }, { no: 1 }, 7, { name: 'llama' }] }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  context.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  assert.deepEqual(await ollamaModels(`${url}/api/tags`, 30_000), ['qwen3:8b', 'llama'])
  assert.equal(await ollamaModels(`${url}/other`, 30_000), undefined)
  assert.equal(await ollamaModels('http://127.0.0.1:9/api/tags'), undefined)
})
