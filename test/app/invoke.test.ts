// What a component reads of a workspace, and which tools it runs.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createInvoke, createReadWorkspace } from '#app/invoke.ts'
import { operator } from '#core/ids.ts'
import type { Tool } from '#core/tool.ts'
import { createJudge } from '#safety/policy.ts'

test('a component reads below its folders by the real path: no link leads it elsewhere', async (t) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'atrium-component-')))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  const root = join(base, 'work')
  for (const folder of ['notes/deep', 'notes2', 'other']) mkdirSync(join(root, folder), { recursive: true })
  for (const path of ['notes/a.txt', 'notes/deep/b.txt', 'notes2/x.txt', 'other/c.txt'])
    writeFileSync(join(root, path), path)
  symlinkSync('../other/c.txt', join(root, 'notes/file-link'))
  symlinkSync('../other', join(root, 'notes/folder-link'))
  symlinkSync('../notes2', join(root, 'notes/alike'))
  symlinkSync('deep/b.txt', join(root, 'notes/inner-link'))
  symlinkSync('other', join(root, 'linked'))
  const readWorkspace = createReadWorkspace({ folderOf: () => root, home: join(base, 'home') })
  const read = (path: string, ...folders: string[]) => readWorkspace(path, { user: operator, folders })
  assert.equal(await read('notes/a.txt', 'notes/'), 'notes/a.txt')
  assert.equal(await read('notes/inner-link', 'notes/'), 'notes/deep/b.txt')
  assert.equal(await read('notes/file-link', 'notes/', 'other/'), 'other/c.txt')
  for (const path of ['notes/file-link', 'notes/folder-link/c.txt', 'notes/alike/x.txt', 'other/c.txt', 'notes/none'])
    assert.equal(await read(path, 'notes/'), undefined, path)
  assert.equal(
    await read('linked/c.txt', 'linked/'),
    undefined,
    'a granted name that is a link is not what was granted',
  )
})

test('a tool that the skills of the turn do not name is not run by another tool either', async () => {
  const look: Tool = {
    spec: { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
    effects: 'read',
    repeatable: true,
    untrusted: false,
    run: () => Promise.resolve('seen'),
  }
  const invoke = createInvoke({
    tools: () => ({ byName: new Map([['look', look]]), specs: [look.spec] }),
    judge: createJudge(),
  })
  const by = { tool: 'other', user: operator, callId: 'c', signal: new AbortController().signal }
  assert.equal(await invoke('look', '{}', by), 'seen')
  assert.equal(await invoke('look', '{}', { ...by, skills: [{ name: 'pdf', tools: ['look'] }] }), 'seen')
  await assert.rejects(
    invoke('look', '{}', { ...by, skills: [{ name: 'pdf', tools: ['peek'] }] }),
    /look cannot be run by a tool: look is not among the tools of the skill pdf/,
  )
})

test('a tool that the turn may not use is not run by another tool either, and one that it may use knows the list', async () => {
  let seen: readonly string[] | undefined
  const look: Tool = {
    spec: { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
    effects: 'read',
    repeatable: true,
    untrusted: false,
    run(_, { serviceTools }) {
      seen = serviceTools
      return Promise.resolve('seen')
    },
  }
  const invoke = createInvoke({
    tools: () => ({ byName: new Map([['look', look]]), specs: [look.spec] }),
    judge: createJudge(),
  })
  const by = { tool: 'other', user: operator, callId: 'c', signal: new AbortController().signal }
  await assert.rejects(
    invoke('look', '{}', { ...by, serviceTools: ['other'] }),
    /look cannot be run by a tool: look is not among the tools of this turn/,
  )
  assert.equal(await invoke('look', '{}', { ...by, serviceTools: ['other', 'look'] }), 'seen')
  assert.deepEqual(seen, ['other', 'look'])
})
