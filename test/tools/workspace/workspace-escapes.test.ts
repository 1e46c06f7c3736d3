// Arguments and paths that the workspace tools refuse: nothing outside is read or written, and nothing changes.
import assert from 'node:assert/strict'
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { rename, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyText } from '../../any-text.ts'
import { createWorkspaceTools } from '#tools/workspace/workspace-tools.ts'
import { run as runTool, runJobHere } from '../rig.ts'
import { contentsOf, openWorkspace } from './workspace-rig.ts'

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
    const { run, contents } = openWorkspace(t)
    const before = contents()
    await assert.rejects(run(name, args), { message: why })
    assert.deepEqual(contents(), before)
  })
}

test('whatever a path says, nothing outside is read or written', async (t) => {
  const { run, base, root } = openWorkspace(t)
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
  const { run, base, root } = openWorkspace(t)
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
  // On a busy machine the link may stand still for long.
  for (let turn = 0; turn < 150 || (said.size < 2 && turn < 20_000); turn++) {
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
      runJob: runJobHere,
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
