// A workspace with files, links and a pipe, beside files that no tool may reach.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, linkSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { operator } from '#core/ids.ts'
import { createWorkspaceTools } from '#tools/workspace/workspace-tools.ts'
import { run as runTool, runJobHere } from '../rig.ts'
import { afterAllFiles } from '../../after-all-files.ts'
import { openScratch } from '../../scratch.ts'

const maxComparedBytes = 10_000
const files: Readonly<Record<string, string>> = {
  'notes/today.md': '# Today\n\nBuy tea.\nCall Ada about the tea.\n',
  'notes/windows.txt': 'one\r\ntwo\r\nthree\r\n',
  'src/app.ts': Array.from({ length: 40 }, (_, at) => `const v${at + 1} = ${at + 1}`).join('\n'),
  'empty.txt': '',
}

/** Has the pipe that each workspace has a link to: to make one takes a process. */
let common = ''
function pipeFolder(): string {
  if (common !== '') return common
  const { path, remove } = openScratch('atrium-workspace-')
  common = path
  execFileSync('mkfifo', [join(common, 'pipe')])
  afterAllFiles(() => Promise.resolve(remove()))
  return common
}

export function openWorkspace(t: TestContext) {
  const { path: base, remove } = openScratch('atrium-workspace-')
  t.after(remove)
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
  linkSync(join(pipeFolder(), 'pipe'), join(root, 'pipe'))
  const folderOf = (user: string) => (user === operator ? root : join(base, 'users', user))
  const tools = createWorkspaceTools({
    folderOf,
    home: join(base, 'home'),
    runJob: runJobHere,
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
export function contentsOf(folder: string): Record<string, string> {
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
