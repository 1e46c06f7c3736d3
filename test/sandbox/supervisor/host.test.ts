// What a guest gets from the service: files below granted folders, tools by their alias, requests through the egress.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import { maxHostCalls, maxOutputBytes } from '#sandbox/child/limits.ts'
import type { GuestAnswer } from '#sandbox/egress/egress.ts'
import { createHost, grantsPath, type HostParts, type Invoker } from '#sandbox/supervisor/host.ts'
import type { HostCall } from '#sandbox/supervisor/messages.ts'

const user = userId('ada')
const capabilities = { workspace: ['notes/'], aliases: new Map([['clock', 'time']]) }
const { signal } = new AbortController()
const traffic: HostParts['egress']['traffic'] = {
  requests: [],
  blocked: [],
  missing: [],
  refused: new Set(),
  wrote: false,
  secrets: new Set(),
  leaks: new Set(),
  echoes: new Set(),
}
const answered = (answer: GuestAnswer) => ({ traffic, request: () => Promise.resolve(answer) })
const body = Buffer.from('hello')
const fine: GuestAnswer = { type: 'answer', status: 200, headers: '{}', body }

function hostOf(parts: Partial<HostParts> = {}) {
  const by = { tool: 'probe', user, callId: 'c' }
  return createHost({ capabilities, egress: answered(fine), by, ...parts })
}

const read = (path: string): HostCall => ({ type: 'workspace', id: 1, path })
const invoke = (alias: string): HostCall => ({ type: 'invoke', id: 1, alias, params: '{"x":1}' })
const request: HostCall = { type: 'request', id: 1, method: 'GET', url: 'https://a.example/', headers: '{}' }
const denied = (message: string) => ({ head: { ok: false, code: 'blocked', message, sent: false } })
const notGranted = denied('the capability file does not grant it')

test('a file is read for the user of the call, within the granted folders', async () => {
  const asked: unknown[] = []
  const host = hostOf({
    readWorkspace: (path, within) => {
      asked.push([path, within])
      return Promise.resolve(path === 'notes/a' ? 'a note' : undefined)
    },
  })
  assert.deepEqual(await host(read('notes/a'), signal), { head: { ok: true, text: 'a note' } })
  assert.deepEqual(await host(read('notes/b'), signal), { head: { ok: true } })
  assert.deepEqual(await host(read('other/a'), signal), notGranted)
  const within = { user, folders: ['notes/'] }
  assert.deepEqual(asked, [
    ['notes/a', within],
    ['notes/b', within],
  ])
  assert.deepEqual(await hostOf()(read('notes/a'), signal), notGranted)
})

test('another tool is invoked by its alias, on behalf of the call', async () => {
  const asked: [string, string, Invoker][] = []
  const invokeTool: HostParts['invokeTool'] = (name, params, by) => {
    asked.push([name, params, by])
    return Promise.resolve('noon')
  }
  assert.deepEqual(await hostOf({ invokeTool })(invoke('clock'), signal), { head: { ok: true, text: 'noon' } })
  assert.deepEqual(asked, [['time', '{"x":1}', { tool: 'probe', user, callId: 'c', signal }]])
  const unknown = await hostOf({ invokeTool })(invoke('time'), signal)
  assert.deepEqual(unknown, denied('the capability file does not grant the tool "time"'))
  assert.deepEqual(
    await hostOf()(invoke('clock'), signal),
    denied('time cannot be run here: a tool that another tool runs cannot run a third'),
  )
  const failing = hostOf({ invokeTool: () => Promise.reject(new Error('not today')) })
  assert.deepEqual(await failing(invoke('clock'), signal), denied('not today'))
})

test('a file and an answer of just the bound pass, one byte more is denied', async () => {
  for (const [more, ok] of [
    [0, true],
    [1, false],
  ] as const) {
    // Two bytes each.
    const text = 'é'.repeat(maxOutputBytes / 2) + 'x'.repeat(more)
    const host = hostOf({ readWorkspace: () => Promise.resolve(text), invokeTool: () => Promise.resolve(text) })
    for (const call of [read('notes/a'), invoke('clock')])
      assert.equal(Reflect.get((await host(call, signal)).head, 'ok'), ok)
  }
})

test('a request goes through the egress, and its fault comes back as it is', async () => {
  assert.deepEqual(await hostOf()(request, signal), { head: { ok: true, status: 200, headers: '{}' }, body })
  const fault = { code: 'rate_limited', message: 'later', sent: true } as const
  const host = hostOf({ egress: answered({ type: 'fault', fault }) })
  assert.deepEqual(await host(request, signal), { head: { ok: false, ...fault } })
})

test('reads and invocations of a call are bounded together; requests are counted by the egress', async () => {
  const host = hostOf({ readWorkspace: () => Promise.resolve(''), invokeTool: () => Promise.resolve('') })
  const isOk = async (call: HostCall) => Reflect.get((await host(call, signal)).head, 'ok')
  for (let at = 0; at < maxHostCalls; at++) {
    assert.equal(await isOk(at % 2 === 0 ? read('notes/a') : invoke('clock')), true)
    assert.equal(await isOk(request), true)
  }
  const over = denied(`more than ${maxHostCalls} in one call`)
  for (const call of [read('notes/a'), invoke('clock')]) assert.deepEqual(await host(call, signal), over)
  assert.equal(await isOk(request), true)
})

test('a path of the workspace is plain and below a granted folder', () => {
  for (const path of ['notes/a', 'notes/b/c.md']) assert(grantsPath(['other/', 'notes/'], path), path)
  for (const path of [
    'notes',
    'notes/',
    'notes/../a',
    '/notes/a',
    'notes//a',
    'notes/./a',
    'x/notes/a',
    'notes\\a',
    'notes/\0',
  ])
    assert(!grantsPath(['other/', 'notes/', '/notes/'], path), path)
})
