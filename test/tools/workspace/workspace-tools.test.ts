// The workspace tools on a real folder: what they do, what they refuse, and that nothing outside is ever reached.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { rename, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import * as fc from 'fast-check'
import { anyText } from '../../any-text.ts'
import { operator, userId } from '#core/ids.ts'
import { previewText } from '#safety/gate-question.ts'
import { createJobRunner } from '#tools/worker.ts'
import { createWorkspaceTools } from '#tools/workspace/workspace-tools.ts'
import { patienceMs } from '../../until.ts'
import { run as runTool } from '../rig.ts'

const maxComparedBytes = 10_000
const files: Readonly<Record<string, string>> = {
  'notes/today.md': '# Today\n\nBuy tea.\nCall Ada about the tea.\n',
  'notes/windows.txt': 'one\r\ntwo\r\nthree\r\n',
  'src/app.ts': Array.from({ length: 40 }, (_, at) => `const v${at + 1} = ${at + 1}`).join('\n'),
  'empty.txt': '',
}

/** Has the pipe that each workspace has a link to: to make one takes a process. */
let common = ''
before(() => {
  common = mkdtempSync(join(tmpdir(), 'atrium-workspace-'))
  execFileSync('mkfifo', [join(common, 'pipe')])
})
after(() => rmSync(common, { recursive: true, force: true }))

function open(t: TestContext) {
  const base = mkdtempSync(join(tmpdir(), 'atrium-workspace-'))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  const root = join(base, 'work')
  for (const [path, text] of Object.entries({
    ...files,
    '../outside/secret.txt': 'the secret of the house\n',
    '../work-beside/a.txt': 'a\n',
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  writeFileSync(join(root, 'picture.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]))
  writeFileSync(join(root, 'big.txt'), '')
  truncateSync(join(root, 'big.txt'), 10 * 1024 * 1024 + 1)
  symlinkSync('../outside', join(root, 'away'))
  symlinkSync('../work-beside', join(root, 'alike'))
  symlinkSync('../outside/secret.txt', join(root, 'leak.txt'))
  symlinkSync('/etc/hostname', join(root, 'absolute'))
  symlinkSync('notes', join(root, 'near'))
  symlinkSync('loop', join(root, 'loop'))
  linkSync(join(common, 'pipe'), join(root, 'pipe'))
  const folderOf = (user: string) => (user === operator ? root : join(base, 'users', user))
  const tools = createWorkspaceTools({
    folderOf,
    home: join(base, 'home'),
    runJob: createJobRunner({ deadlineMs: patienceMs }),
  })
  const find = (name: string) => {
    const tool = tools.find(({ spec }) => spec.name === `workspace_${name}`)
    assert(tool, name)
    return tool
  }
  const run = (name: string, args: unknown, more = {}) => runTool(find(name), args, more)
  return { base, root, find, run, contents: () => contentsOf(base) }
}

/** Every file below a folder and what is in it: of a large one its beginning and its size. */
function contentsOf(folder: string): Record<string, string> {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
  const plain = all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(plain.map((path) => [path, beginningOf(path)]))
}

function beginningOf(path: string): string {
  const { size } = statSync(path)
  if (size <= maxComparedBytes) return readFileSync(path, 'latin1')
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(maxComparedBytes)
  readSync(file, bytes)
  closeSync(file)
  return `${bytes.toString('latin1')} and ${size} bytes in all`
}

test('a folder is listed: folders first, sizes, links and pipes named as such', async (t) => {
  const { run } = open(t)
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
  const { run } = open(t)
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
  const { root, run } = open(t)
  writeFileSync(join(root, 'long.txt'), `${'x'.repeat(1_000)}\n`.repeat(150))
  const lines = (await run('read', { path: 'long.txt' })).split('\n')
  assert.equal(lines.length, 101)
  assert.equal(lines.at(-1), '[lines 1 to 100 of 150; go on with offset 101]')
})

test('bytes that are no UTF-8 are not changed into something else', async (t) => {
  const { run, root } = open(t)
  writeFileSync(join(root, 'latin.txt'), Buffer.from('Gr\u00fc\u00dfe', 'latin1'))
  await assert.rejects(run('read', { path: 'latin.txt' }), {
    message: 'latin.txt is a binary file of 5 bytes, not text',
  })
  await assert.rejects(run('edit', { path: 'latin.txt', find: 'Gr', replace: 'gr' }), { message: /binary file/ })
})

test('a search tells the matches with the lines around them', async (t) => {
  const { run, root } = open(t)
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
  const { root } = open(t)
  writeFileSync(join(root, 'a.txt'), `${'a'.repeat(60)}b\n`)
  const tools = createWorkspaceTools({
    folderOf: () => root,
    home: join(root, '../home'),
    runJob: createJobRunner({ deadlineMs: 2_000 }),
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
  const { run, root } = open(t)
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
  const { run, root } = open(t)
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

test('what a change would do is shown as a diff before it is asked for', async (t) => {
  const { find, contents } = open(t)
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
  const { find } = open(t)
  for (const name of ['list', 'read', 'search']) {
    const { effects, repeatable, untrusted } = find(name)
    assert.deepEqual([effects, repeatable, untrusted], ['read', true, true], name)
  }
  assert.deepEqual([find('write').effects, find('write').repeatable], ['write', true])
  assert.deepEqual([find('edit').effects, find('edit').repeatable], ['write', false])
})

const outside = /leads out of the workspace|must not have \.\.|must be relative/
const refused: readonly [name: string, args: unknown, why: RegExp][] = [
  ['list', { path: 5 }, /^path must be a text$/],
  ['list', { path: 'nowhere' }, /^nowhere does not exist$/],
  ['list', { path: 'empty.txt' }, /^empty\.txt is not a folder, or a name in its path is a file/],
  ['list', { path: '..' }, outside],
  ['list', { path: 'away' }, outside],
  ['list', { folder: 'x' }, /^folder is not a parameter; the parameters are path$/],
  ['read', {}, /^path is missing$/],
  ['read', { path: '' }, /^path must name a file$/],
  ['read', { path: 'notes' }, /^notes is a folder$/],
  ['read', { path: 'nowhere.md' }, /^nowhere\.md does not exist$/],
  ['read', { path: 'notes/today.md/x' }, /is not a folder/],
  ['read', { path: '../outside/secret.txt' }, outside],
  ['read', { path: 'notes/../../outside/secret.txt' }, outside],
  ['read', { path: 'notes/../notes/today.md' }, /^path must not have \.\. as a name/],
  ['read', { path: '/etc/passwd' }, outside],
  ['read', { path: '~/x' }, outside],
  ['read', { path: 'away/secret.txt' }, outside],
  ['read', { path: 'leak.txt' }, outside],
  ['read', { path: 'alike/a.txt' }, outside],
  ['read', { path: 'absolute' }, outside],
  ['read', { path: 'loop' }, /^loop is a link$/],
  ['read', { path: 'pipe' }, /^pipe is not a regular file$/],
  ['read', { path: 'picture.png' }, /^picture\.png is a binary file of 8 bytes, not text$/],
  ['read', { path: 'big.txt' }, /^big\.txt has 10485761 bytes, but at most 10485760 can be read$/],
  ['read', { path: 'notes/today.md', offset: 9 }, /^offset is beyond the end: the file has 4 lines$/],
  ['read', { path: 'notes/today.md', offset: 0 }, /^offset must be a whole number/],
  ['read', { path: 'notes/today.md', limit: 'all' }, /^limit must be a whole number from 1 to 5000$/],
  ['read', { path: 'a\0b' }, /^path must not have control characters/],
  ['read', { path: `x${'/x'.repeat(70)}` }, /^path must have at most 64 names/],
  ['read', { path: 'x'.repeat(256) }, /over 255 bytes/],
  ['search', { pattern: '(' }, /^pattern is not a regular expression: /],
  ['search', { pattern: '' }, /^pattern must not be empty$/],
  ['search', { pattern: 'x', path: '../outside' }, outside],
  ['search', { pattern: 'x', path: 'away' }, outside],
  ['write', { path: 'a.txt' }, /^content is missing$/],
  ['write', { path: 'a.txt', content: 5 }, /^content must be a text$/],
  ['write', { path: '', content: 'x' }, /^path must name a file$/],
  ['write', { path: 'notes', content: 'x' }, /^notes is a folder$/],
  ['write', { path: '../outside/secret.txt', content: 'x' }, outside],
  ['write', { path: 'away/new.txt', content: 'x' }, /^away is a link: write to its target$/],
  ['write', { path: 'away/deep/new.txt', content: 'x' }, /^away is a link/],
  ['write', { path: 'near/new.txt', content: 'x' }, /^near is a link/],
  ['write', { path: 'leak.txt', content: 'x' }, /^leak\.txt is a link$/],
  ['write', { path: 'near', content: 'x' }, /^near is a folder$/],
  ['write', { path: 'pipe', content: 'x' }, /^pipe is not a regular file$/],
  ['write', { path: 'empty.txt/x', content: 'x' }, /is not a folder/],
  ['write', { path: 'a.txt', content: 'x\0y' }, /NUL/],
  ['write', { path: 'a.txt', content: 'x'.repeat(1024 * 1024 + 1) }, /1048577 bytes, but at most 1048576/],
  ['write', { path: 'a.txt', content: 'x', mode: '755' }, /^mode is not a parameter/],
  ['edit', { path: 'notes/today.md', find: 'tea', replace: 'x' }, /^find occurs 2 times in notes\/today\.md/],
  ['edit', { path: 'notes/today.md', find: 'coffee', replace: 'x' }, /^find does not occur/],
  ['edit', { path: 'notes/today.md', find: '', replace: 'x' }, /^find must not be empty$/],
  ['edit', { path: 'notes/today.md', find: 'Buy', replace: 'x', all: 'yes' }, /^all must be true or false$/],
  ['edit', { path: 'nowhere.md', find: 'x', replace: 'y' }, /^nowhere\.md does not exist$/],
  ['edit', { path: 'leak.txt', find: 'secret', replace: 'y' }, /^leak\.txt is a link$/],
  ['edit', { path: 'near/today.md', find: 'Buy', replace: 'y' }, /^near is a link/],
  ['edit', { path: 'picture.png', find: 'P', replace: 'y' }, /binary file/],
]
for (const [name, args, why] of refused) {
  test(`refused, and nothing changed: ${name} ${JSON.stringify(args).slice(0, 80)}`, async (t) => {
    const { run, contents } = open(t)
    const before = contents()
    await assert.rejects(run(name, args), { message: why })
    assert.deepEqual(contents(), before)
  })
}

test('whatever a path says, nothing outside is read or written', async (t) => {
  const { run, base, root } = open(t)
  const piece = fc.constantFrom(
    '..',
    '.',
    '',
    'away',
    'leak.txt',
    'near',
    'notes',
    'outside',
    'secret.txt',
    '~',
    '%2e%2e',
    '..\\',
    '/',
    '\0',
    'a',
    ' ',
  )
  const path = fc.oneof(
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('/')),
    anyText({ maxLength: 40 }),
  )
  await fc.assert(
    fc.asyncProperty(path, async (path) => {
      const said = await run('read', { path }).catch((error: Error) => error.message)
      assert.ok(!said.includes('the secret of the house'))
      assert.ok(!said.includes(base), `a path of the machine is told: ${said}`)
      await run('write', { path, content: 'planted' }).catch(() => {})
    }),
    { numRuns: 150 },
  )
  const around = contentsOf(base)
  const planted = Object.keys(around).filter((each) => around[each] === 'planted' && !each.startsWith(`${root}/`))
  assert.deepEqual(planted, [])
  assert.equal(around[join(base, 'outside/secret.txt')], 'the secret of the house\n')
})

test('a link that is turned outward in the middle of it all leads nowhere', async (t) => {
  const { run, base, root } = open(t)
  mkdirSync(join(root, 'inner'))
  writeFileSync(join(root, 'inner/secret.txt'), 'harmless\n')
  symlinkSync('inner', join(root, 'swap'))
  let over = false
  const swapping = (async () => {
    for (let turn = 0; !over; turn++) {
      await symlink(turn % 2 === 0 ? '../outside' : 'inner', join(root, 'next'))
      await rename(join(root, 'next'), join(root, 'swap'))
    }
  })()
  const said = new Set<string>()
  for (let turn = 0; turn < 150; turn++) {
    said.add(await run('read', { path: 'swap/secret.txt' }).catch((error: Error) => error.message))
    await run('write', { path: 'swap/new.txt', content: 'x' }).catch(() => {})
  }
  over = true
  await swapping
  assert.deepEqual([...said].toSorted(), ['     1\tharmless', 'swap leads out of the workspace'])
  assert.deepEqual(readdirSync(join(base, 'outside')), ['secret.txt'])
})

/** Workspaces through which the service's own files could be reached, and the paths of them in there. */
const nearHome: readonly [what: string, make: (base: string, home: string) => string, paths: readonly string[]][] = [
  ['a folder around the home', (base) => base, ['home/master-key', 'link/master-key']],
  ['the home itself', (_, home) => home, ['master-key', 'workspace/../master-key']],
  [
    'a link to the home',
    (base, home) => {
      symlinkSync(home, join(base, 'other'))
      return join(base, 'other')
    },
    ['master-key'],
  ],
  [
    'a folder in the home, with links',
    (_, home) => {
      symlinkSync('../master-key', join(home, 'workspace/key'))
      symlinkSync('..', join(home, 'workspace/up'))
      linkSync(join(home, 'master-key'), join(home, 'workspace/hard'))
      return join(home, 'workspace')
    },
    ['key', 'up/master-key', 'hard', '../master-key'],
  ],
  [
    'a folder elsewhere, with links',
    (base, home) => {
      mkdirSync(join(base, 'else'))
      symlinkSync(home, join(base, 'else/home'))
      linkSync(join(home, 'master-key'), join(base, 'else/hard'))
      return join(base, 'else')
    },
    ['home/master-key', 'hard'],
  ],
]
for (const [what, make, paths] of nearHome) {
  test(`the service’s own files are not reached: ${what}`, async (t) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'atrium-workspace-')))
    t.after(() => rmSync(base, { recursive: true, force: true }))
    const home = join(base, 'home')
    mkdirSync(join(home, 'workspace'), { recursive: true })
    writeFileSync(join(home, 'master-key'), 'the key of the house\n')
    symlinkSync('home', join(base, 'link'))
    const root = make(base, home)
    const tools = createWorkspaceTools({
      folderOf: () => root,
      home,
      runJob: createJobRunner({ deadlineMs: patienceMs }),
    })
    const run = (name: string, args: object): Promise<string> => {
      const tool = tools.find(({ spec }) => spec.name === `workspace_${name}`)
      assert(tool, name)
      return runTool(tool, args).catch((error: Error) => `refused: ${error.message}`)
    }
    for (const path of paths) {
      assert.match(await run('read', { path }), /^refused: /, path)
      assert.match(await run('edit', { path, find: 'key', replace: 'x' }), /^refused: /, path)
      assert.doesNotMatch(await run('list', { path: dirname(path) }), /master-key|bytes of/, path)
      await run('write', { path, content: 'planted' })
    }
    assert.doesNotMatch(await run('search', { pattern: 'the key of' }), /master-key|house/)
    assert.equal(readFileSync(join(home, 'master-key'), 'utf8'), 'the key of the house\n')
  })
}
