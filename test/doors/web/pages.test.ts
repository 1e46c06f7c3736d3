// The browser app as the gateway serves it: every address, the files, what they carry, and no build at all.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { pageRoutes } from '#doors/web/pages.ts'
import { type House, openHouse } from './house.ts'

const page = '<!doctype html><title>Atrium</title>'
const script = 'console.log("hello")'

/** A gateway over a build of two files, one of them packed. */
function openBuild(t: TestContext, files: Readonly<Record<string, string | Buffer>>): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-pages-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'assets'))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return openHouse(t, { mount: pageRoutes({ folder, issuer: 'https://id.acme.dev/realms/shop' }) })
}

const build = {
  'index.html': page,
  'assets/main-1a2b.js': script,
  'assets/main-1a2b.js.gz': gzipSync(script),
  'assets/main-1a2b.js.br': brotliCompressSync(script),
  'assets/notes.txt': 'no type of ours',
  'secret.js': 'beside the assets',
}

const addresses = [
  '/',
  '/login',
  '/threads/0198',
  '/waiting',
  '/jobs',
  '/missions',
  '/missions/0198',
  '/memory',
  '/memory/people/ada.md',
].concat(['/tools', '/activity', '/settings', '/settings/users', '/?draft=1'])

test('every address of the app is its one page, without a token', async (t) => {
  const { call } = await openBuild(t, build)
  for (const path of addresses) {
    const { status, text, headers } = await call('GET', path, { token: null })
    assert.deepEqual([status, text, headers.get('content-type')], [200, page, 'text/html; charset=utf-8'], path)
    assert.equal(headers.get('cache-control'), 'no-cache')
  }
})

test('a browser that opens another address gets the app, which says so; programs get the error', async (t) => {
  const { call } = await openBuild(t, build)
  const open = async (path: string, accept: string) => {
    const { status, text, headers } = await call('GET', path, { token: null, headers: { accept } })
    return [status, text.startsWith('<!doctype'), headers.get('content-type')]
  }
  const html = 'text/html,application/xhtml+xml,*/*;q=0.8'
  for (const path of ['/nothing', '/jobs/', '/threads'])
    assert.deepEqual(await open(path, html), [404, true, 'text/html; charset=utf-8'], path)
  assert.deepEqual(await open('/nothing', '*/*'), [404, false, 'application/json; charset=utf-8'])
  for (const path of ['/api/nothing', '/v1/nothing']) assert.equal((await open(path, html))[1], false, path)
})

test('pages run no script or style but their own files, ask no other host and stand in no frame', async (t) => {
  const { call } = await openBuild(t, build)
  for (const path of ['/', '/assets/main-1a2b.js']) {
    const { headers } = await call('GET', path, { token: null })
    const policy = headers.get('content-security-policy') ?? ''
    assert.deepEqual(policy.split('; '), [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ])
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
  }
})

test('a file with its hash in the name is kept for good, in the smallest form that the browser takes', async (t) => {
  const { url } = await openBuild(t, build)
  const ask = (accepted: string) => fetch(`${url}/assets/main-1a2b.js`, { headers: { 'accept-encoding': accepted } })
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', null],
  ] as const) {
    const response = await ask(accepted)
    assert.equal(response.headers.get('content-encoding'), encoding, accepted)
    assert.equal(await response.text(), script)
    assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8')
    assert.match(response.headers.get('cache-control') ?? '', /immutable/)
    assert.equal(response.headers.get('vary'), 'accept-encoding')
  }
})

test('files of a fixed name have their type, and are asked for anew each time', async (t) => {
  const types = {
    'icon.svg': 'image/svg+xml',
    'icon-waiting.svg': 'image/svg+xml',
    'icon-192.png': 'image/png',
    'icon-512.png': 'image/png',
    'manifest.webmanifest': 'application/manifest+json',
    'service-worker.js': 'text/javascript; charset=utf-8',
    'assets/a.css': 'text/css; charset=utf-8',
    'assets/a.woff2': 'font/woff2',
  }
  const { call } = await openBuild(t, Object.fromEntries(Object.keys(types).map((name) => [name, name])))
  for (const [name, type] of Object.entries(types)) {
    const { status, text, headers } = await call('GET', `/${name}`, { token: null })
    assert.deepEqual([status, text, headers.get('content-type')], [200, name, type])
    if (!name.startsWith('assets')) assert.equal(headers.get('cache-control'), 'no-cache')
  }
})

test('no file but those of the build is served', async (t) => {
  const { call } = await openBuild(t, build)
  for (const path of [
    '..%2findex.html',
    '..%2fsecret.js',
    '%2e%2e/secret.js',
    'a/../../secret.js',
    'notes.txt',
    'gone-1.js',
    '.js',
  ]) {
    assert.equal((await call('GET', `/assets/${path}`, { token: null })).status, 404, path)
  }
})

test('the sign-in page learns where else people can sign in', async (t) => {
  const { call } = await openBuild(t, build)
  const { status, json } = await call('GET', '/sign-in.json', { token: null })
  assert.deepEqual([status, json], [200, { issuer: 'id.acme.dev' }])
  const plain = await openHouse(t, { mount: pageRoutes({ folder: 'none', issuer: 'not an address' }) })
  assert.equal((await plain.call('GET', '/sign-in.json', { token: null })).json.issuer, 'not an address')
  const none = await openHouse(t, { mount: pageRoutes({ folder: 'none' }) })
  assert.equal((await none.call('GET', '/sign-in.json', { token: null })).json.issuer, null)
})

test('without a build the gateway says how to make it', async (t) => {
  const { call } = await openBuild(t, {})
  const { status, text } = await call('GET', '/', { token: null })
  assert.equal(status, 503)
  assert.match(text, /not built.*npm ci.*npm run build/)
})

test('pages are no part of the OpenAPI document', async (t) => {
  const { call } = await openBuild(t, build)
  const { json } = await call('GET', '/api/openapi.json')
  const paths = Object.keys(json.paths)
  assert(paths.includes('/api/threads'))
  assert.deepEqual(
    paths.filter((path) => addresses.includes(path) || path.startsWith('/assets')),
    [],
  )
})
