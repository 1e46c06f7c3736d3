// web_fetch on saved pages, on files that are no pages, and on what it must refuse.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { operator } from '#core/ids.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { createWebFetch } from '#tools/web/web-fetch.ts'
import { createJobRunner } from '#tools/worker.ts'
import { patienceMs } from '../../until.ts'
import { openSite, run, runJobHere } from '../rig.ts'
import { pdfOf } from '../../pdf.ts'

const scan = createLeakScan()

type Served = { readonly type?: string; readonly body: string | Buffer; readonly status?: number }

async function open(t: TestContext, files: Readonly<Record<string, Served>>, runJob = runJobHere) {
  const site = await openSite(t, ({ url = '' }, response) => {
    const found = files[url]
    if (url === '/moved') response.writeHead(301, { location: '/page?x=1' }).end()
    else if (!found) response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>No such page</h1>')
    else response.writeHead(found.status ?? 200, found.type ? { 'content-type': found.type } : {}).end(found.body)
  })
  return {
    ...site,
    tool: createWebFetch({ ...site, runJob, scan: () => scan }),
  }
}

function saved(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, '..', 'pages', name))
}

type Expected = { readonly title: string; readonly has: readonly string[]; readonly hasNot: readonly string[] }
const pages: Readonly<Record<string, Expected>> = {
  'news.html': {
    title: 'Northport reopens east quay after storm | The Coastal Courier',
    has: [
      'eleven weeks after a storm tore loose four mooring dolphins',
      'forty-two new steel piles',
      'said Ingrid Halvorsen, the harbour master',
      'lost 3.4 million crowns',
      '## Criticism from ferry operators',
      'bulk carrier Aurelia',
      '/2026/05/ammunition-found)',
    ],
    hasNot: [
      'cookies on your device',
      'garden furniture',
      'newsletter',
      'Most read story',
      'All rights reserved',
      'dataLayer',
    ],
  },
  'docs.html': {
    title: 'Retries - Quill documentation',
    has: [
      'npm install quill-queue\nnpx quill init --retries',
      '| Field | Type | Default | Meaning |\n| --- | --- | --- | --- |\n| `attempts` | integer | 5 |',
      '  retries: {\n    attempts: 8,\n    delayMs: 500,\n    retryOn: (error) => error.status !== 400 && error.status !== 422,',
      'A job must be idempotent',
      '- put it back with `quill dead retry <id>`;',
      '/deployment)',
    ],
    hasNot: ['Migration guide', 'Troubleshooting', 'Copyright 2026'],
  },
  'table.html': {
    title: 'Premier League of Hockey - Table 2025/26',
    has: [
      '| Pos | Team | Played | Won | Lost | Goals | Points |',
      '/team/arden) | 37 | 25 | 1 | 77:32 | 81 |',
      '/team/larkhill) | 26 | 14 | 12 | 44:54 | 37 |',
      '| Player | Team | Goals |',
      '| L. Ostrom | Calder | 27 |',
      '| P. \\| Quist | Farrow | 22 |',
      'Goals in play-offs do not count.',
    ],
    hasNot: ['Example Data Ltd'],
  },
  'shell.html': {
    title: 'Orbit – project planner',
    has: ['has no text of its own', 'Plan projects together, in real time.'],
    hasNot: ['__STATE__', 'beta'],
  },
  'wiki.html': {
    title: 'Basalt column - Openpedia',
    has: [
      'is a prism of [basalt](',
      'meet at angles of about 120 degrees',
      'drying corn starch',
      "[Giant's Causeway](",
      '| Svartifoss | Iceland | 0.3 |',
    ],
    hasNot: ['Donate', 'Random article', 'last edited'],
  },
  'shift-jis.html': {
    title: '東京の天気 - お知らせ',
    has: ['明日の東京地方は、北の風', '船舶は注意してください'],
    hasNot: ['�'],
  },
  'latin1.html': { title: 'Straßenfest in München', has: ['für große und kleine Gäste'], hasNot: ['�', 'Ã'] },
}

for (const [name, { title, has, hasNot }] of Object.entries(pages)) {
  test(`a saved page is read: ${name}`, async (t) => {
    const { tool, url } = await open(t, { '/page': { type: 'text/html', body: saved(name) } })
    const text = await run(tool, { url: `${url}/page` })
    assert.match(text, /^Title: .*\nAddress: http:.*\/page\n\n/)
    assert.equal(/^Title: (.*)$/m.exec(text)?.[1], title)
    for (const each of has) assert.ok(text.includes(each), `${each} is not in:\n${text}`)
    for (const each of hasNot) assert.ok(!text.includes(each), `${each} is in:\n${text}`)
    t.diagnostic(`${name}: ${has.length} of ${has.length} facts, ${hasNot.length} pieces around them left out`)
  })
}

test('the final address is told, and is where the words come from', async (t) => {
  const { tool, url } = await open(t, { '/page?x=1': { type: 'text/html; charset=utf-8', body: '<p>here' } })
  const from: (string | undefined)[] = []
  const text = await run(tool, { url: `${url}/moved` }, { markUntrusted: (origin) => from.push(origin) })
  assert.equal(text, `Address: ${url}/page?x=1\n\nhere`)
  assert.deepEqual(from, [`${url}/page?x=1`])
  assert.deepEqual([tool.effects, tool.repeatable, tool.untrusted], ['read', true, true])
})

test('a PDF is read page by page, whatever its type says', async (t) => {
  const body = pdfOf(['High water at noon'])
  const { tool, url } = await open(t, {
    '/a.pdf': { type: 'application/pdf', body },
    '/b': { type: 'application/octet-stream', body },
    '/broken.pdf': { type: 'application/pdf', body: 'no PDF at all' },
  })
  for (const path of ['a.pdf', 'b']) {
    const text = await run(tool, { url: `${url}/${path}` })
    assert.equal(text, `Title: Tide table\nAddress: ${url}/${path}\n\n[page 1 of 1]\nHigh water at noon`)
  }
  await assert.rejects(run(tool, { url: `${url}/broken.pdf` }), { message: /^the PDF at .* could not be read: / })
})

test('text and JSON come as they are; what is too long is cut with a way out', async (t) => {
  const { tool, url } = await open(t, {
    '/t': { type: 'text/plain', body: 'a  b\n<p>c' },
    '/j': { type: 'application/json', body: '{"a": [1, 2]}' },
    '/none': { body: 'plain' },
    '/html': { body: '<!doctype html><p>a page</p>' },
    '/empty': { type: 'text/html', body: '' },
  })
  const read = async (path: string, more = {}) =>
    (await run(tool, { url: `${url}/${path}`, ...more })).replace(/^.*\n\n/, '')
  assert.equal(await read('t'), 'a  b\n<p>c')
  assert.equal(await read('j'), '{"a": [1, 2]}')
  assert.equal(await read('none'), 'plain')
  assert.equal(await read('html'), 'a page')
  assert.equal(await read('empty'), '(The answer is empty.)')
  assert.equal(await read('t', { max_chars: 4 }), 'a  b\n[cut: 5 more characters; max_chars may be up to 150000]')
})

const refused: readonly [args: unknown, why: RegExp][] = [
  [{}, /^url is missing$/],
  [{ url: 5 }, /^url must be a text$/],
  [{ url: '' }, /^url must not be empty$/],
  [{ url: 'SITE/t', max_chars: 0 }, /^max_chars must be a whole number from 1 to 150000$/],
  [{ url: 'SITE/t', max_chars: 1.5 }, /^max_chars must be/],
  [{ url: 'SITE/t', format: 'md' }, /^format is not a parameter; the parameters are url, max_chars$/],
  ['[]', /^url is missing$/],
  [{ url: 'example.com' }, /was not fetched: the URL is not of the form/],
  [{ url: 'http://10.0.0.1/' }, /was not fetched: 10\.0\.0\.1 is a private address/],
  [
    { url: `SITE/t?key=sk-${'a1B2'.repeat(8)}` },
    /^the request carries a secret \(openai-key\): secrets only go out through an installed tool/,
  ],
]
for (const [args, why] of refused) {
  test(`refused, and nothing is sent: ${JSON.stringify(args)}`, async (t) => {
    const { tool, url, seen } = await open(t, { '/t': { body: 'x' } })
    const text = typeof args === 'string' ? args : JSON.stringify(args)
    await assert.rejects(run(tool, text.replace('SITE', url)), { message: why })
    assert.deepEqual(seen, [])
  })
}

test('nobody is asked to open an address that cannot be fetched', async (t) => {
  const { tool, url } = await open(t, {})
  const ask = async (to: string) => tool.ask?.(JSON.stringify({ url: to }), { user: operator, signal: t.signal })
  await assert.rejects(ask('http://10.0.0.1/'), { message: /was not fetched: 10\.0\.0\.1 is a private address/ })
  await assert.rejects(ask('file:///etc/passwd'), { message: /was not fetched: the scheme file: is not allowed/ })
  assert.equal((await ask(`${url}/t`))?.preview?.type, 'request')
})

test('an error of the server and a file that is no text are told', async (t) => {
  const { tool, url } = await open(t, {
    '/p.png': { type: 'image/png', body: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]) },
  })
  await assert.rejects(run(tool, { url: `${url}/gone` }), { message: `${url}/gone answered 404: ## No such page` })
  await assert.rejects(run(tool, { url: `${url}/p.png` }), {
    message: `${url}/p.png is image/png, 8 bytes: not text that can be read`,
  })
})

test('a page that is made to be slow is read all the same, and stops nothing meanwhile', async (t) => {
  const deep = `${'<div>'.repeat(5_000)}end${'</div>'.repeat(5_000)}`
  const wide = '<p>a paragraph</p><div>x</div>'.repeat(5_000)
  const served = { '/deep': { type: 'text/html', body: deep }, '/wide': { type: 'text/html', body: wide } }
  const { tool, url } = await open(t, served, createJobRunner({ deadlineMs: patienceMs }))
  let ticks = 0
  const beat = setInterval(() => ticks++, 1)
  t.after(() => clearInterval(beat))
  assert.equal(await run(tool, { url: `${url}/deep` }), `Address: ${url}/deep\n\nend`)
  assert.match(await run(tool, { url: `${url}/wide` }), /a paragraph\n\nx\n\na paragraph/)
  assert.ok(ticks > 10, 'the service went on meanwhile')
})
