// A checkout made for a test of bin/atrium, a Node that says what it was started with, and a launch.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'

/** Prints what it was started with; as told it warns, or waits for a signal. */
const program = `
const [command]: string[] = process.argv.slice(2)
if (command === 'wait') {
  process.on('SIGTERM', () => process.exit(7))
  setInterval(() => {}, 1000)
}
if (command === 'warn') process.emitWarning('noise', 'ExperimentalWarning')
const { execPath: node, pid, argv: [, main, ...args] } = process
console.log(JSON.stringify({ node, main, args, cwd: process.cwd(), pid }))
`
/** In place of Node, which takes thirty times as long: prints what it was started with, and exits with a code as told. */
const teller = `#!/bin/sh
printf '%s\\0' "$0" "$(pwd -P)" "$$" "$@"
while [ $# -gt 2 ]; do shift; done
[ "$1" != exit ] || exit "$2"
`

export type Seen = { node: string; main: string; args: string[]; cwd: string; pid: number }

/** A checkout with the launcher; `pinned` says where its Node is, if it has one: the teller, or the real one. */
export function makeCheckout(context: TestContext, pinned?: 'node/bin/node' | '.bin/node', node?: 'real') {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'atrium launcher ')))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, 'a check out')
  const launcher = join(root, 'bin', 'atrium')
  mkdirSync(join(root, 'bin'), { recursive: true })
  mkdirSync(join(root, 'src'))
  copyFileSync(join(import.meta.dirname, '..', 'bin', 'atrium'), launcher)
  writeFileSync(join(root, 'src', 'main.ts'), program)
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  if (pinned) {
    const place = join(root, 'node_modules', pinned)
    mkdirSync(dirname(place), { recursive: true })
    if (node === 'real') symlinkSync(process.execPath, place)
    else writeFileSync(place, teller, { mode: 0o755 })
  }
  return { folder, root, launcher }
}

/** A `node` that only knows its version, in a folder for PATH; `does` is what it does when it is to run something. */
export function makeNode(folder: string, version: string, does = `echo "took ${version}"`): string {
  const bin = join(folder, `node ${version}`)
  mkdirSync(bin)
  const lines = ['#!/bin/sh', `[ "$*" = --version ] && echo ${version} && exit`, does, '']
  writeFileSync(join(bin, 'node'), lines.join('\n'), { mode: 0o755 })
  return bin
}

export const systemPath = '/usr/bin:/bin'

export function launch(
  launcher: string,
  args: readonly string[] = [],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const { status, stdout, stderr } = spawnSync(launcher, args, {
    cwd: options.cwd ?? '/',
    env: options.env ?? { PATH: systemPath },
    encoding: 'utf8',
  })
  return { status, stdout, stderr, seen: stdout.startsWith('{') ? (JSON.parse(stdout) as Seen) : readTold(stdout) }
}

/** What the teller printed. */
export function readTold(stdout: string): Seen | undefined {
  if (!stdout.includes('\0')) return undefined
  const [node = '', cwd = '', pid, ...rest] = stdout.split('\0').slice(0, -1)
  const at = rest.findIndex((flag) => !flag.startsWith('--'))
  return { node, cwd, pid: Number(pid), main: rest[at] ?? '', args: rest.slice(at + 1) }
}
