// What the verbs for the operator cost others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AdminParts, createMcpAdmin } from '#mcp/admin.ts'
import type { Connection } from '#mcp/connection.ts'
import type { Servers } from '#mcp/servers.ts'
import { fake } from '../fake.ts'
import { loopTurns } from '../loop-turns.ts'
import { allOn, createMasks } from './masks.ts'

test('other work goes on while the tools of a server that is added get their names', async (t) => {
  const count = 300
  // Each name is cut to the same one, and needs the next free number.
  const tools = Array.from({ length: count }, (_, at) => {
    return { name: `${'x'.repeat(100)}${at}`, description: '', schema: {} }
  })
  const connection = fake<Connection>({
    list: () => Promise.resolve({ tools, instructions: '' }),
    status: () => ({ status: 'idle' }),
    stop: () => Promise.resolve(),
  })
  const admin = createMcpAdmin({
    ...createMasks(),
    servers: fake<Servers>({ trial: () => connection }),
    store: fake<AdminParts['store']>({
      list: () => Promise.resolve([]),
      add: () => Promise.reject(new Error('far enough')),
    }),
    secrets: fake<AdminParts['secrets']>({}),
    switches: allOn,
  })
  const target = { kind: 'stdio', command: 'npx', args: [], env: {} } as const
  const never = new AbortController().signal
  const turns = await loopTurns(t, () =>
    assert.rejects(admin.add({ name: 's', target, everyone: false }, never), /far enough/),
  )
  assert.ok(turns >= count, `${turns} turns of the event loop`)
})
