// The workspace tools on a real folder: what they do, what they refuse, and that nothing outside is ever reached.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import { previewText } from '#safety/gate-question.ts'
import { createJobRunner } from '#tools/worker.ts'
import { createWorkspaceTools } from '#tools/workspace/workspace-tools.ts'
import { run as runTool } from '../rig.ts'
import { openWorkspace } from './workspace-rig.ts'

test('a folder is listed: folders first, sizes, links and pipes named as such', async (t) => {
  const { run } = openWorkspace(t)
  assert.equal(
    await run('list', {}),
    'notes/\nsrc/\nabsolute (link)\nalike (link)\naway (link)\nbig.txt (10,485,761 bytes)\nempty.txt (0 bytes)\n' +
      'leak.txt (link)\nloop (link)\nnear (link)\npicture.png (8 bytes)\npipe (not a regular file)',
  )
  assert.equal(await run('list', { path: './notes/' }), 'today.md (42 bytes)\nwindows.txt (17 bytes)')
  assert.equal(await run('list', { path: 'near' }), 'today.md (42 bytes)\nwindows.txt (17 bytes)')
  assert.equal(await run('list', {}, { user: userId('ada') }), 'The workspace is empty.')
})

test('a file is read with its line numbers, in parts, and its origin told', async (t) => {
  const { run } = openWorkspace(t)
  const from: unknown[] = []
  const markUntrusted = (origin?: string) => from.push(origin)
  const all = await run('read', { path: 'notes/today.md' }, { markUntrusted })
  assert.equal(all, '     1\t# Today\n     2\t\n     3\tBuy tea.\n     4\tCall Ada about the tea.')
  assert.deepEqual(from, ['the file notes/today.md'])
  assert.equal(
    await run('read', { path: 'src/app.ts', offset: 39, limit: 1 }),
    '    39\tconst v39 = 39\n[lines 39 to 39 of 40; go on with offset 40]',
  )
  assert.match(await run('read', { path: 'src/app.ts', offset: 40 }), /^ {4}40\tconst v40 = 40$/)
  assert.equal(await run('read', { path: 'empty.txt' }), '(the file is empty)')
  assert.match(await run('read', { path: 'near/today.md' }), /Buy tea/)
  assert.match(await run('read', { path: 'notes/windows.txt' }), /^ {5}1\tone\n {5}2\ttwo\n {5}3\tthree$/)
})

test('of a long file at most 100,000 characters are read at once, in whole lines', async (t) => {
  const { root, run } = openWorkspace(t)
  writeFileSync(join(root, 'long.txt'), `${'x'.repeat(1_000)}\n`.repeat(150))
  const lines = (await run('read', { path: 'long.txt' })).split('\n')
  assert.equal(lines.length, 101)
  assert.equal(lines.at(-1), '[lines 1 to 100 of 150; go on with offset 101]')
})

test('bytes that are no UTF-8 are not changed into something else', async (t) => {
  const { run, root } = openWorkspace(t)
  writeFileSync(join(root, 'latin.txt'), Buffer.from('Gr\u00fc\u00dfe', 'latin1'))
  await assert.rejects(run('read', { path: 'latin.txt' }), {
    message: 'latin.txt is a binary file of 5 bytes, not text',
  })
  await assert.rejects(run('edit', { path: 'latin.txt', find: 'Gr', replace: 'gr' }), { message: /binary file/ })
})

test('a search tells the matches with the lines around them', async (t) => {
  const { run, root } = openWorkspace(t)
  assert.equal(
    await run('search', { pattern: 'tea\\.$' }),
    'notes/today.md\n     1  # Today\n     2  \n     3: Buy tea.\n     4: Call Ada about the tea.',
  )
  assert.equal(
    await run('search', { pattern: 'v(10|20) ', glob: '*.ts' }),
    [
      'src/app.ts\n     8  const v8 = 8\n     9  const v9 = 9\n    10: const v10 = 10\n    11  const v11 = 11\n    12  const v12 = 12\n  …',
      '    18  const v18 = 18\n    19  const v19 = 19\n    20: const v20 = 20\n    21  const v21 = 21\n    22  const v22 = 22',
    ].join('\n'),
  )
  assert.equal(await run('search', { pattern: 'tea', path: 'src' }), 'Nothing matches.')
  assert.match(await run('search', { pattern: '(?i)TODAY', glob: 'notes/*.md' }), /^notes\/today\.md/)
  assert.equal(await run('search', { pattern: 'secret of the house' }), 'Nothing matches.')
  writeFileSync(join(root, 'many.txt'), 'hit\n'.repeat(300))
  const many = await run('search', { pattern: 'hit' })
  assert.equal(many.match(/: hit/g)?.length, 100)
  assert.match(many, /\[there may be more: narrow/)
})

test('a pattern that would run for ever is given up, and the service goes on meanwhile', async (t) => {
  const { root } = openWorkspace(t)
  writeFileSync(join(root, 'a.txt'), `${'a'.repeat(60)}b\n`)
  const tools = createWorkspaceTools({
    folderOf: () => root,
    home: join(root, '../home'),
    runJob: createJobRunner({ deadlineMs: 1_000 }),
  })
  const search = tools.find(({ spec }) => spec.name === 'workspace_search')
  assert(search)
  let ticks = 0
  const beat = setInterval(() => ticks++, 1)
  t.after(() => clearInterval(beat))
  await assert.rejects(runTool(search, { pattern: '^(a+)+$', glob: 'a.txt' }), { message: /took too long/ })
  assert.ok(ticks > 2)
})

test('a file is written whole, keeps its mode, and leaves nothing beside it', async (t) => {
  const { run, root } = openWorkspace(t)
  chmodSync(join(root, 'notes/today.md'), 0o755)
  assert.equal(
    await run('write', { path: 'notes/today.md', content: 'new\nwords\n' }),
    'replaced: notes/today.md (2 lines, 10 bytes)',
  )
  assert.equal(readFileSync(join(root, 'notes/today.md'), 'utf8'), 'new\nwords\n')
  assert.equal(statSync(join(root, 'notes/today.md')).mode & 0o777, 0o755)
  assert.equal(await run('write', { path: 'a/b/c.txt', content: '' }), 'created: a/b/c.txt (0 lines, 0 bytes)')
  assert.equal(await run('write', { path: 'a/b/c.txt', content: 'x' }), 'replaced: a/b/c.txt (1 line, 1 byte)')
  assert.deepEqual(readdirSync(join(root, 'a/b')), ['c.txt'])
  assert.deepEqual(readdirSync(join(root, 'notes')).toSorted(), ['today.md', 'windows.txt'])
  await run('write', { path: 'own.txt', content: 'x' }, { user: userId('ada') })
  assert.ok(!existsSync(join(root, 'own.txt')))
})

test('a text is replaced where it occurs once, or everywhere when asked', async (t) => {
  const { run, root } = openWorkspace(t)
  const at = join(root, 'notes/today.md')
  assert.equal(
    await run('edit', { path: 'notes/today.md', find: 'Buy tea.', replace: '$& and milk' }),
    'edited: notes/today.md (1 place)',
  )
  assert.match(readFileSync(at, 'utf8'), /^\$& and milk$/m)
  assert.equal(
    await run('edit', { path: 'notes/today.md', find: 'a', replace: 'o', all: true }),
    'edited: notes/today.md (6 places)',
  )
  await run('edit', { path: 'notes/windows.txt', find: 'one\ntwo', replace: '1\n2' })
  assert.equal(readFileSync(join(root, 'notes/windows.txt'), 'utf8'), '1\r\n2\r\nthree\r\n')
})

test('edits of one file at once are all kept', async (t) => {
  const { run, root } = openWorkspace(t)
  const path = 'src/app.ts'
  const edit = (number: number) => run('edit', { path, find: `const v${number} =`, replace: `let v${number} =` })
  await Promise.all([10, 20, 30, 40].map(edit))
  assert.equal(readFileSync(join(root, path), 'utf8').match(/^let v[1-4]0 = /gm)?.length, 4)
})

test('what a change would do is shown as a diff before it is asked for', async (t) => {
  const { find, contents } = openWorkspace(t)
  const before = contents()
  const context = { user: operator, signal: AbortSignal.timeout(60_000) }
  const describe = async (name: string, args: object) => {
    const asked = await find(name).ask?.(JSON.stringify(args), context)
    return asked?.preview && previewText(asked.preview)
  }
  assert.equal(
    await describe('edit', { path: 'notes/today.md', find: 'Buy tea.', replace: 'Buy milk.\nBuy eggs.' }),
    '--- notes/today.md\n+++ notes/today.md\n@@ -1,4 +1,5 @@\n # Today\n \n-Buy tea.\n+Buy milk.\n+Buy eggs.\n Call Ada about the tea.',
  )
  assert.equal(
    await describe('write', { path: 'new/file.txt', content: 'a\nb' }),
    '--- /dev/null\n+++ new/file.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file',
  )
  assert.equal(await describe('write', { path: 'empty.txt', content: '' }), 'empty.txt would stay as it is.')
  await assert.rejects(describe('edit', { path: 'notes/today.md', find: 'nine', replace: 'x' }), {
    message: /^find does not occur/,
  })
  assert.deepEqual(contents(), before)
})

test('reading is free and may be repeated, a change is neither', (t) => {
  const { find } = openWorkspace(t)
  for (const name of ['list', 'read', 'search']) {
    const { effects, repeatable, untrusted } = find(name)
    assert.deepEqual([effects, repeatable, untrusted], ['read', true, true], name)
  }
  assert.deepEqual([find('write').effects, find('write').repeatable], ['write', true])
  assert.deepEqual([find('edit').effects, find('edit').repeatable], ['write', false])
})
