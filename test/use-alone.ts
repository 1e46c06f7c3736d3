// Uses a built or installed program as a user would: its page, a conversation, a component, a page of the web, a tool.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { atriumProcess, type Serving, serve } from './atrium.ts'
import { coreModule } from './sandbox/fixtures.ts'
import { scriptedEnv } from './scripted-env.ts'
import { patienceMs, until } from './until.ts'

type Program = readonly [launcher: string]

const lookMs = 100

/** Replies that call the weather tool, which needs no network to refuse an empty city. */
export const weather = [
  { when: 'weather', calls: [{ name: 'weather', args: { action: 'get_current', city: '' } }] },
  { afterTool: 'weather', text: 'It said: {{result}}' },
]

/** Uses the doors and tools of a program that has nothing of a checkout near it; `bin` is the folder of its Node. */
export async function useAlone(home: string, program: Program, bin: string): Promise<void> {
  const page = await openPage()
  const replies = [
    ...weather,
    { when: 'page', calls: [{ name: 'web_fetch', args: { url: page.url } }] },
    { afterTool: 'web_fetch', text: 'It read: {{result}}' },
  ]
  const path = `${bin}:/usr/bin:/bin`
  const env = { ...scriptedEnv(home, replies), PATH: path, ATRIUM_PRIVATE_HOSTS: new URL(page.url).host }
  const service = await serve(home, env, program)
  try {
    assert.match(await (await fetch(service.url)).text(), /<script type="module"/)
    await weatherInstalled(home, service)
    assert.match(await respond(home, service, 'what is the weather?'), /It said: .*'city' must not be empty/)
    assert.match(await respond(home, service, 'read the page'), /It read: [^]*Soups[^]*Chop the onions/)
    const core = join(home, 'plain.wasm')
    writeFileSync(core, await coreModule())
    const built = await atriumProcess(home, ['tool', 'build', core], { program, env: { PATH: path } })
    assert.match(built.stdout, /^Built /, built.stderr)
  } finally {
    assert.equal(await service.stop(), 0)
    page.close()
  }
}

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

/** Waits for the tools that come with the service: it installs them after it is ready. */
export async function weatherInstalled(home: string, service: Serving): Promise<void> {
  await until(async () => (await asked(home, service, '/api/tools')).includes('"weather"'), patienceMs, lookMs)
}

export function respond(home: string, service: Serving, input: string): Promise<string> {
  return asked(home, service, '/v1/responses', { model: 'scripted', input })
}

async function asked(home: string, { url }: Serving, path: string, body?: object): Promise<string> {
  const token = readFileSync(join(home, 'webui-token'), 'utf8').trim()
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.text()
}
