// What a guest reaches by its imports, apart from any process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Component, runGuest } from '#sandbox/child/guest.ts'

type Host = {
  log(level: string, message: string): void
  httpRequest(method: string, url: string, headers: string): Promise<unknown>
  workspaceRead(path: string): Promise<unknown>
}

test('a guest that goes on after its answer is heard by nobody', async () => {
  const heard: unknown[] = []
  let host: Host | undefined
  const component: Component = {
    version: '0.3',
    tool: 'tool',
    source: '',
    modules: new Map(),
    instantiate(_modules, imports) {
      host = Reflect.get(imports, 'near:agent/host') as Host
      return { tool: { execute: () => ({ output: '1' }) } }
    },
  }
  const { result } = await runGuest(
    component,
    { kind: 'execute', params: '{}', secretNames: [], secretsSet: [] },
    {
      askHost(head) {
        heard.push(head)
        return Promise.resolve({ ok: true })
      },
      sendLogs: (lines) => heard.push(...lines),
    },
  )
  assert.deepEqual(result, { type: 'output', output: '1' })
  host?.log('info', 'still here')
  void host?.workspaceRead('notes/of-the-next-user.md')
  void host?.httpRequest('GET', 'https://api.example.com/', '{}')
  assert.deepEqual(heard, [])
})
