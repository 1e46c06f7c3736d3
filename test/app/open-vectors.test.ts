// The service with an embedding model: from the environment to what is found by meaning, and what doctor says of it.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readConfig } from '#config.ts'
import { operator } from '#core/ids.ts'
import { openApp } from '#app.ts'
import { openVectors } from '#app/open-vectors.ts'
import { silentLog } from '#lib/log.ts'
import { atrium } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { size, startEmbedder } from '../memory/embedder.ts'
import { until } from '../until.ts'
import { openMemoryStore } from '../store/memory-store.ts'

function homeOf(t: TestContext): string {
  const { path, remove } = newHome()
  t.after(remove)
  return path
}

function envOf(baseUrl: string) {
  return { EMBEDDING_PROVIDER: 'openai-compatible', EMBEDDING_MODEL: 'concepts', EMBEDDING_BASE_URL: baseUrl }
}

test('a service that is told of an embedding model finds by meaning what any process has written', async (t) => {
  const home = homeOf(t)
  const embedder = await startEmbedder(t)
  const env = envOf(embedder.baseUrl)
  await atrium(home, ['memory', 'write', 'before.md', 'My automobile is red.'])
  const app = await openApp({ configure: () => readConfig({ ATRIUM_HOME: home, ...env }), log: silentLog })
  try {
    await app.store.secrets.set('EMBEDDING_API_KEY', 'sealed-key')
    await app.documents.write(operator, [{ path: 'now.md', content: 'A motor.', author: 'user' }])
    const found = async () => (await app.documents.search(operator, { query: 'vehicle', limit: 5 })).length
    await until(async () => (await found()) === 2)
    assert.equal(embedder.asked.at(-1)?.key, 'Bearer sealed-key')
  } finally {
    await app.close(0)
  }
  // A search waits two seconds for the server, and a busy machine may need them to begin.
  await until(async () => {
    const { stdout } = await atrium(home, ['memory', 'search', 'vehicle'], { env })
    return /before\.md[^]*My automobile is red\./.test(stdout)
  })
  const { stdout: words } = await atrium(home, ['memory', 'search', 'vehicle'])
  assert.match(words, /Nothing matches/)
  const { stdout: well } = await atrium(home, ['doctor'], { env })
  assert.match(well, new RegExp(`✓ embedding: openai-compatible concepts makes vectors of ${size} numbers`))
  embedder.mode = 'fails'
  const { stdout: ill, code } = await atrium(home, ['doctor'], { env })
  assert.match(ill, /● embedding: memory is searched by words alone: .*\(500\)\. It said: .*no room for Bearer \*\*\*/)
  assert.equal(code, 0)
})

test('a database that cannot compare vectors is told once, and memory goes on by words', async (t) => {
  const store = openMemoryStore()
  t.after(() => store.close())
  const lines: string[] = []
  const log = { ...silentLog, warn: (_: object, message: string) => void lines.push(message) }
  const config = readConfig({ HOME: '/home/ada', ...envOf('http://127.0.0.1:1/v1') })
  const vectors = await openVectors({ config, store, log, owner: 'one' })
  assert.equal(vectors?.semanticSearch, undefined)
  vectors?.wake()
  await vectors?.close()
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /^memory is searched by words alone: sqlite-vec cannot be loaded/)
})

test('without an embedding model there are no vectors at all', async (t) => {
  const store = openMemoryStore()
  t.after(() => store.close())
  assert.equal(await openVectors({ config: readConfig({ HOME: '/home/ada' }), store, log: silentLog }), undefined)
})
