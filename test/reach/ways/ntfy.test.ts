// ntfy against a server that answers in every way, and the address rules at each hop.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { NotificationWay } from '#core/notification.ts'
import { createDial } from '#net/dial.ts'
import { createRefusal } from '#net/fetch.ts'
import { createPost } from '#net/post.ts'
import type { Message, Post } from '#reach/way.ts'
import { createNtfy } from '#reach/ways/ntfy.ts'
import { ada } from '../../store/harness.ts'
import { topic } from '../../store/ntfy-topic.ts'

type Answer = { readonly status: number; readonly headers?: Record<string, string> } | 'cut'

async function open(t: TestContext, answers: Record<string, Answer>) {
  const seen: { method: string; url: string; body: string; title: string; click: string; auth: string }[] = []
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request
    const [title, click, auth] = [headers['title'], headers['click'], headers.authorization].map(String)
    const answer = answers[url] ?? { status: 200 }
    seen.push({ method, url, body: await text(request), title: title ?? '', click: click ?? '', auth: auth ?? '' })
    if (answer === 'cut') response.destroy()
    else response.writeHead(answer.status, answer.headers).end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  const lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  const post = createPost({ dial: createDial({ lookup }), privateHosts: [host] })
  const send = createNtfy({ post, page: () => 'https://atrium.test', now: () => 0 })
  const say = (path: string, message: Message = { type: 'test' }, origin = `http://${host}`) => {
    const way: NotificationWay = { ...topic, id: 'w', userId: ada, createdAt: 0, target: `${origin}${path}` }
    return send(way, message, AbortSignal.timeout(60_000))
  }
  return { seen, say, host, port }
}

test('a message has a title that tells its kind, the title of the thread and a link', async (t) => {
  const { say, seen } = await open(t, {})
  const news = { event: 'needs_you', title: 'Urlaub in Zürich', threadId: 'h1', waitsFor: 'approval' } as const
  assert.deepEqual(await say('/topic', { type: 'news', news }), { type: 'sent' })
  const [first] = seen
  assert.deepEqual(
    [first?.method, first?.title, first?.body, first?.click],
    ['POST', 'Atrium needs your approval', 'Urlaub in Zürich', 'https://atrium.test/threads/h1'],
  )
  const long = { ...news, content: { text: '漢'.repeat(5_000) } }
  await say('/topic', { type: 'news', news: long })
  const body = seen[1]?.body ?? ''
  assert.ok(Buffer.byteLength(body) <= 4_000 && body.endsWith('漢'))
})

test('only what waits for a person has a high priority, and without an address there is no link', async () => {
  const sent: ReadonlyMap<string, string>[] = []
  const post: Post = ({ headers }) => {
    sent.push(headers)
    return Promise.resolve({ type: 'answer', status: 200, headers: new Map() })
  }
  const send = createNtfy({ post, page: () => undefined })
  const way: NotificationWay = { ...topic, id: 'w', userId: ada, createdAt: 0 }
  for (const [message, priority] of [
    [{ type: 'news', news: { event: 'needs_you', title: 'x' } }, 'high'],
    [{ type: 'news', news: { event: 'finished', title: 'x' } }, 'default'],
    [{ type: 'test' }, 'default'],
  ] as const) {
    await send(way, message, AbortSignal.timeout(60_000))
    const headers = sent.at(-1)
    assert.deepEqual([headers?.get('priority'), headers?.has('click')], [priority, false])
    assert.equal(headers?.get('content-type'), 'text/plain; charset=utf-8')
  }
})

test('answers are read as the server means them', async (t) => {
  const { say } = await open(t, {
    '/busy': { status: 429, headers: { 'retry-after': '7' } },
    '/gone': { status: 410 },
    '/missing': { status: 404 },
    '/forbidden': { status: 403 },
    '/broken': { status: 500 },
    '/cut': 'cut',
  })
  assert.deepEqual(await say('/busy'), { type: 'later', why: 'the ntfy server answered 429', retryAfterMs: 7_000 })
  for (const [path, type] of [
    ['/gone', 'gone'],
    ['/missing', 'gone'],
    ['/forbidden', 'refused'],
    ['/broken', 'later'],
    ['/cut', 'unknown'],
  ] as const) {
    const outcome = await say(path)
    assert.equal(outcome.type, type)
    assert.doesNotMatch(JSON.stringify(outcome), new RegExp(path), 'the topic is a secret')
  }
  assert.equal((await say('/x', { type: 'test' }, 'http://127.0.0.1:1')).type, 'refused', 'another port is not listed')
})

test('a redirect is followed with the message, and refused where its address is', async (t) => {
  const answers: Record<string, Answer> = {}
  const { say, seen, host } = await open(t, answers)
  const to = (location: string, status = 307): Answer => ({ status, headers: { location } })
  Object.assign(answers, {
    '/moved': to(`http://${host}/here`, 301),
    '/private': to('http://127.0.0.1:1/admin'),
    '/metadata': to('http://169.254.169.254/latest'),
    '/named': to('http://inside.test/'),
    '/file': to('file:///etc/passwd'),
    '/round': to('/round'),
    '/see': to(`http://${host}/here`, 303),
  })
  assert.equal((await say('/moved')).type, 'sent')
  assert.deepEqual(
    seen.slice(-1).map(({ method, url, body }) => [method, url, body.length > 0]),
    [['POST', '/here', true]],
  )
  for (const path of ['/private', '/metadata', '/named', '/file', '/round', '/see']) {
    assert.equal((await say(path)).type, 'refused', path)
  }
})

test('what is refused by its text alone is told before anything is stored', () => {
  const refused = [
    'ftp://x.test/a',
    'http://u:p@x.test/',
    'http://10.0.0.1/x',
    'http://[::1]/x',
    'http://localhost/x',
    'x',
  ]
  const refusalOf = createRefusal({ privateHosts: ['10.0.0.1:8080', '169.254.169.254'] })
  for (const url of [...refused, 'http://169.254.169.254/x']) assert.equal(typeof refusalOf(url), 'string', url)
  assert.equal(refusalOf('https://ntfy.sh/topic'), undefined)
  assert.equal(refusalOf('http://10.0.0.1:8080/x'), undefined)
})
