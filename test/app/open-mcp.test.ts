// The MCP servers of a home as a source of tools: `tool_search` comes with them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMcp } from '#app/open-mcp.ts'
import { readConfig } from '#config.ts'
import { operator } from '#core/ids.ts'
import { openHome } from '#home.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { openTestStore } from '../agent/bench.ts'
import { everything } from '../mcp/harness.ts'
import { allOn } from '../mcp/masks.ts'
import { newHome } from '../new-home.ts'

test('tool_search is shown with the tools of servers, and only with them', async (t) => {
  const home = newHome()
  t.after(home.remove)
  const { source, admin } = openMcp({
    home: openHome(home.path),
    store: openTestStore(t),
    seal: createSeal('0'.repeat(64)),
    config: readConfig({}),
    scan: () => ({ mask: (text: string) => text }) as never,
    log: silentLog,
    switches: allOn,
  })
  t.after(() => source.close())
  await source.reload()
  assert.deepEqual(await source.view(), [])
  const call = { params: '{}', signal: new AbortController().signal }
  assert.equal(await source.test('tool_search', call), undefined)
  assert.equal(await source.remove('tool_search'), false)
  await (await admin()).add({ name: 'one', target: everything, everyone: false }, new AbortController().signal)
  const [first, ...servers] = await source.view()
  assert.deepEqual([first?.name, first?.source], ['tool_search', 'built-in'])
  assert.ok(servers.length > 0 && servers.every(({ name }) => name.startsWith('one__')))
  assert.ok(source.tools(operator).some(({ spec }) => spec.name === 'tool_search'))
  assert.ok(await source.test('tool_search', call))
  await assert.rejects(source.remove('tool_search'), { code: 'tool_refused' })
  assert.equal(await source.remove('none'), false)
})
