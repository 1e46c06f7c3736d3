// The bundle as it is installed and run, in a copy of the checkout: what it serves, and when the sources run instead.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { buildAll } from '../tools/build.ts'
import { buildBundle, freshBundle } from '../tools/bundle.ts'
import { atriumProcess, newHome, type Serving, serve } from './atrium.ts'
import { coreModule } from './sandbox/fixtures.ts'

const checkout = join(import.meta.dirname, '..')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'atrium-bundle-')))
const copy = join(folder, 'checkout')
const launcher = [join(copy, 'bin', 'atrium')] as const
const home = newHome()

before(async () => {
  await buildAll()
  for (const name of ['bin', 'package.json', 'package-lock.json', 'src', 'tools']) {
    cpSync(join(checkout, name), join(copy, name), { recursive: true, preserveTimestamps: true })
  }
  const packages = readdirSync(join(checkout, 'node_modules')).filter((name) => !name.startsWith('.'))
  mkdirSync(join(copy, 'node_modules'))
  for (const name of packages) {
    const [from, to] = [join(checkout, 'node_modules', name), join(copy, 'node_modules', name)]
    // The process that transpiles may read below the checkout only, so links would not do for what it loads.
    if (name === '@bytecodealliance') cpSync(from, to, { recursive: true })
    else symlinkSync(from, to)
  }
})
after(() => {
  rmSync(folder, { recursive: true, force: true })
  home.remove()
})

const said = 'A self-hosted agent: chat in the terminal'
const edited = 'Edited a moment ago.'

/** Which text of the command line's help is run: that of the bundle, or that of a source changed since. */
async function help(): Promise<string> {
  const { code, stdout } = await atriumProcess(home.path, ['--help'], { program: launcher })
  assert.equal(code, 0)
  return stdout.includes(edited) ? edited : stdout.includes(said) ? said : stdout
}

const longAgo = new Date(0)

/** Changes the text of the help in its source; `at` is when that will have been. */
function edit(from: string, to: string, at: Date): void {
  const path = join(copy, 'src', 'commands', 'program.ts')
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
  utimesSync(path, at, at)
}

test('without a bundle the sources run', async () => {
  assert(!existsSync(join(copy, 'dist')))
  edit(said, edited, new Date())
  assert.equal(await help(), edited)
  edit(edited, said, new Date())
})

test('a bundle runs until a source is edited, and again once it is built anew', async () => {
  const first = await freshBundle(copy)
  edit(said, edited, longAgo)
  assert.equal(await help(), said, 'nothing is newer than the bundle')
  assert.equal(await freshBundle(copy), first)
  edit(edited, edited, new Date())
  assert.equal(await help(), edited)
  assert.notEqual(await freshBundle(copy), first)
  edit(edited, said, longAgo)
  assert.equal(await help(), edited)
})

test('a service from the bundle: health, a component, a page that is read, a tool that is built, an end; and a new bundle meanwhile', async () => {
  const page = await openPage()
  const script = join(home.path, 'script.json')
  const replies = [
    { when: 'weather', calls: [{ name: 'weather', args: { action: 'get_current', city: '' } }] },
    { afterTool: 'weather', text: 'It said: {{result}}' },
    { when: 'page', calls: [{ name: 'web_fetch', args: { url: page.url } }] },
    { afterTool: 'web_fetch', text: 'It read: {{result}}' },
  ]
  writeFileSync(script, JSON.stringify({ replies }))
  // No source can have a part in this.
  const main = join(copy, 'src', 'main.ts')
  const source = readFileSync(main, 'utf8')
  writeFileSync(main, 'throw new Error("a source ran")')
  utimesSync(main, longAgo, longAgo)
  const env = { LLM_PROVIDER: 'scripted', LLM_SCRIPT: script, ATRIUM_PRIVATE_HOSTS: new URL(page.url).host }
  const service = await serve(home.path, env, launcher)
  try {
    assert.equal((await fetch(`${service.url}/api/health`)).status, 200)
    // The sandbox is not loaded yet: the bundle that this service was started from must still be there.
    writeFileSync(main, source)
    await buildBundle(copy)
    await weatherInstalled()
    assert.match(await respond(service, 'what is the weather?'), /It said: .*'city' must not be empty/)
    assert.match(await respond(service, 'read the page'), /It read: [^]*Soups[^]*Chop the onions/)
    const core = join(home.path, 'plain.wasm')
    writeFileSync(core, await coreModule())
    const built = await atriumProcess(home.path, ['tool', 'build', core], { program: launcher })
    assert.match(built.stdout, /^Built /, built.stderr)
  } finally {
    assert.equal(await service.stop(), 0)
    page.close()
  }
})

test('a start reads a few files, and none of what only some services or later requests need', () => {
  const bundle = join(copy, 'dist', 'atrium')
  const files = readdirSync(bundle)
  const read = new Map<string, string>()
  const load = (name: string): void => {
    if (read.has(name)) return
    const text = readFileSync(join(bundle, name), 'utf8')
    read.set(name, text)
    for (const [, next = ''] of text.matchAll(/(?:^|[;}])(?:import|export)\b[^;()]*?"\.\/([\w.-]+\.mjs)"/gm)) load(next)
  }
  load('main.mjs')
  for (const name of files) if (/^(serve|gateway)-/.test(name)) load(name)
  assert(read.size >= 6 && read.size <= 10, [...read.keys()].join(' '))
  const text = [...read.values()].join('')
  assert.match(text, /is ready/)
  assert.match(text, /there is no \$\{path\} here/, 'the gateway is among them')
  const rest = files.filter((name) => !read.has(name)).map((name) => readFileSync(join(bundle, name), 'utf8'))
  const [sockets, tokens, postgres] = ['permessage-deflate', 'jwtVerify', 'readyForQuery']
  for (const late of [sockets, tokens, postgres, 'function toJSONSchema', 'UND_ERR_', '"node:child_process"']) {
    assert(!text.includes(late), `${late} is read at the start`)
    assert(rest.join('').includes(late), `${late} is nowhere`)
  }
})

test('bundles do not pile up', () => {
  // More than two were built above.
  const [link, ...kept] = readdirSync(join(copy, 'dist')).toSorted()
  assert.equal(link, 'atrium')
  assert.equal(kept.length, 2, 'the bundle and the one before it')
})

test('a bundle that cannot be written is no fault of the installation: the sources run', async () => {
  rmSync(join(copy, 'dist'), { recursive: true })
  writeFileSync(join(copy, 'dist'), 'in the way')
  const prepare = join(copy, 'tools', 'prepare.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [prepare], { cwd: dirname(prepare) })
  assert.match(stdout, /^the bundle was not built, so [^\n]*ENOTDIR/m)
  assert.equal(await help(), said)
})

/** A page on this machine, as the web has them. */
async function openPage(): Promise<{ url: string; close: () => void }> {
  const text = `<p>${'Chop the onions, then stir for a while. '.repeat(30)}</p>`
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<html><head><title>Soups</title></head><body><article><h1>Ten</h1>${text}</article></body></html>`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ten`, close: () => server.close() }
}

/** The service installs the tools that come with it after it is ready. */
async function weatherInstalled(): Promise<void> {
  for (let look = 0; look < 100; look++) {
    const { stdout } = await atriumProcess(home.path, ['tool', 'list'], { program: launcher })
    if (stdout.includes('weather')) return
  }
  assert.fail('weather is not installed')
}

async function respond({ url }: Serving, input: string): Promise<string> {
  const token = readFileSync(join(home.path, 'webui-token'), 'utf8').trim()
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', input }),
  })
  return response.text()
}
