// Completion scripts made from the command line itself, and suggestions for mistyped commands.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { commandTree } from '#commands/command-tree.ts'
import { similarWord } from '#lib/similar-word.ts'
import { completionScript } from '#commands/completion-scripts.ts'
import { buildProgram } from '#commands/program.ts'
import { atrium } from '../atrium.ts'

const tree = commandTree(buildProgram())
const bash = completionScript('bash', tree)

/** What bash offers for a line that ends with the word to complete. */
function offered(...words: string[]): string[] {
  const script = `${bash}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _atrium; printf '%s\\n' "\${COMPREPLY[@]}"`
  const text = execFileSync('bash', ['--norc', '-c', script, 'bash', 'atrium', ...words], { encoding: 'utf8' })
  return text.split('\n').filter((word) => word !== '')
}

const lines: readonly (readonly [words: readonly string[], offers: readonly string[], not: readonly string[]])[] = [
  [[''], ['serve', 'run', 'mcp', 'completion', 'help'], ['--port', 'add']],
  [['se'], ['serve', 'secret', 'service'], ['run']],
  [['--'], ['--port', '--version', '--help'], ['serve']],
  [['mcp', ''], ['add', 'list', 'auth'], ['serve']],
  [['mcp', 'a'], ['add', 'auth'], ['list']],
  [['run', '--c'], ['--continue'], ['--json']],
  [['mission', 'add', 'a prompt', '--'], ['--when', '--zone'], ['--port']],
  [['completion', ''], ['bash', 'zsh', 'fish'], ['serve']],
  // The value of an option, and files, are left to the shell.
  [['--port', ''], [], ['serve']],
  [['run', '--attach', 'R'], [], ['run']],
  [['tool', 'install', ''], [], ['list']],
]
for (const [words, offers, not] of lines) {
  test(`bash completes: atrium ${words.join(' ')}|`, () => {
    const found = offered(...words)
    assert.deepEqual(
      offers.filter((word) => !found.includes(word)),
      [],
      found.join(' '),
    )
    assert.deepEqual(
      not.filter((word) => found.includes(word)),
      [],
    )
    if (offers.length === 0) assert.deepEqual(found, [])
  })
}

test('every command and option is in the script of each shell', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completionScript(shell, tree)
    for (const { commands, options } of tree) {
      for (const { name } of commands) assert(script.includes(name), `${shell} lacks ${name}`)
      for (const { flags } of options)
        for (const flag of flags) assert(script.includes(flag.replace(/^-+/, '')), `${shell} lacks ${flag}`)
    }
  }
})

test('zsh and fish read their scripts, where they are installed', () => {
  for (const shell of ['zsh', 'fish'] as const) {
    try {
      execFileSync(shell, ['--version'])
    } catch {
      continue
    }
    execFileSync(shell, ['-n'], { input: completionScript(shell, tree) })
  }
})

const meant: readonly (readonly [typed: string, meant: string | undefined])[] = [
  ['sevre', 'serve'],
  ['serv', 'serve'],
  ['stauts', 'status'],
  ['modle', 'model'],
  ['xyz', undefined],
  ['', undefined],
  ['s'.repeat(10_000), undefined],
]
for (const [typed, word] of meant) {
  test(`${typed.slice(0, 10) || 'nothing'} most likely means ${word ?? 'no command'}`, () => {
    const names = tree[0]?.commands.map(({ name }) => name) ?? []
    assert.equal(similarWord(typed, names), word)
  })
}

test('an unknown command names the one that was probably meant, on every level', async () => {
  const first = await atrium('/nowhere', ['stauts'])
  assert.deepEqual([first.code, first.stdout], [2, ''])
  assert.match(first.stderr, /^error: unknown command 'stauts'\n\(Did you mean status\?\)\n/)
  assert.match((await atrium('/nowhere', ['mcp', 'lits'])).stderr, /Did you mean list\?/)
  assert.doesNotMatch((await atrium('/nowhere', ['xyz'])).stderr, /mean/)
  assert.match((await atrium('/nowhere', ['threads', 'list'])).stderr, /\(\S*atrium threads alone lists them\)/)
  assert.match((await atrium('/nowhere', ['user', 'delete', 'x'])).stderr, /Did you mean remove\?/)
  assert.match((await atrium('/nowhere', ['threads', 'rm', 'x'])).stderr, /Did you mean delete\?/)
  assert.match((await atrium('/nowhere', ['completion', 'tcsh'])).stderr, /bash, zsh, fish/)
})

test('the version has the commit of the checkout behind it', async () => {
  for (const args of [['--version'], ['-v'], ['version']]) {
    assert.match((await atrium('/nowhere', args)).stdout, /^\d+\.\d+\.\d+( \(commit [0-9a-f]{12}(-dirty)?\))?\n$/)
  }
})
