// The pages about commands hold what there is, all of it and nothing else.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { buildProgram } from '#commands/program.ts'
import type { ErrorCode } from '#core/errors.ts'
import { pasteable } from '#commands/report.ts'
import { statusOf } from '#http/reply.ts'

const root = join(import.meta.dirname, '..', '..')
const program = buildProgram()

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The command that words lead to, as far as they name one, and what is left of them. */
function find(words: readonly string[], from: Command = program): { command: Command; rest: readonly string[] } {
  const next = from.commands.find((each) => each.name() === words[0])
  return next ? find(words.slice(1), next) : { command: from, rest: words }
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

function checkOptions(command: Command, words: readonly string[], line: string): void {
  for (const word of words.join(' ').matchAll(/(?<![\w-])--?[a-z][a-z-]*/g)) {
    const flag = word[0]
    const known = command.options.some((option) => option.short === flag || option.long === flag) || flag === '--help'
    assert(known, `${line}: ${pathOf(command)} has no ${flag}`)
  }
}

/** The row names an option, in its short or its long form. */
function named(row = '', ...forms: readonly (string | undefined)[]): boolean {
  return forms.some((form) => form !== undefined && new RegExp(`(?<![\\w-])${form}(?![\\w-])`).test(row))
}

/** A stroke within a cell is escaped, also within backticks. */
function cellsIn(row: string): number {
  return row.split(/(?<!\\)\|/).length
}

/** Lines of shell in a page that call the program. */
function callsIn(text: string): string[] {
  const blocks = [...text.matchAll(/```(?:sh|text)\n([^]*?)```/g)].flatMap(([, block = '']) => block.split('\n'))
  const parts = blocks.flatMap((line) => line.replace(/\s+#.*/, '').split(/&&|\|/))
  return parts.map((part) => part.trim().replace(/^(\w+=\S+ )+/, '')).filter((part) => /^(bin\/)?atrium\b/.test(part))
}

test('the table of commands has every command, with options that exist', () => {
  const documented = new Map<string, string>()
  for (const [line, cell = ''] of read('docs/commands.md').matchAll(/^\| (`atrium.*?) \|/gm)) {
    let base: Command = program
    for (const [, words = ''] of cell.matchAll(/`([^`]+)`/g)) {
      const given = words.replaceAll(/[[\]]/g, '').split(' ')
      const { command, rest } =
        given[0] === 'atrium'
          ? find(given.slice(1))
          : find(given, find(given, base).command === base ? (base.parent ?? program) : base)
      assert(command !== program || given.length === 1 || given[1]?.startsWith('--'), line)
      base = command
      documented.set(pathOf(command), `${documented.get(pathOf(command)) ?? ''}${line}`)
      checkOptions(command, rest, line)
    }
  }
  const leaves = (command: Command): string[] =>
    command.commands.length === 0 ? [pathOf(command)] : command.commands.flatMap(leaves)
  assert.deepEqual(
    // `atrium tool help` and its like are `atrium help tool`.
    leaves(program).filter((path) => !documented.has(path) && !/ \w+ help$/.test(path)),
    [],
  )
  // Said once on the page.
  const common = ['--help', '--json', '--version']
  const withOptions = (command: Command): string[] => [
    ...command.options
      .filter(({ short, long }) => !common.includes(long ?? '') && !named(documented.get(pathOf(command)), short, long))
      .map(({ flags }) => `${pathOf(command)} ${flags}`),
    ...command.commands.flatMap(withOptions),
  ]
  assert.deepEqual(withOptions(program), [])
})

for (const page of ['README.md', ...globSync('docs/*.md', { cwd: root })]) {
  test(`the rows of a table of ${page} have as many cells as its head`, () => {
    const text = read(page).replaceAll(/^```[^]*?^```/gm, '')
    for (const [table] of text.matchAll(/(?:^\|.*\n)+/gm)) {
      const [head = '', ...rows] = table.trimEnd().split('\n')
      for (const row of rows) assert.equal(cellsIn(row), cellsIn(head), row)
    }
  })

  test(`the commands that ${page} shows exist, with their options`, () => {
    for (const line of callsIn(read(page))) {
      const words = line
        .replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT')
        .split(/\s+/)
        .slice(1)
      const { command, rest } = find(words)
      assert(command.commands.length === 0 || rest.length === 0 || command === program, `${page}: ${line}`)
      if (command === program)
        assert(
          rest.every((word, at) => at > 1 || word.startsWith('-') || rest[0] === '--port'),
          `${page}: ${line}`,
        )
      checkOptions(command, rest, `${page}: ${line}`)
    }
  })
}

test('the page of troubleshooting has every error code once, with its status', () => {
  const codes = [...read('src/core/errors.ts').matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, code = '']) => code as ErrorCode)
  const rows = [...read('docs/troubleshooting.md').matchAll(/^\| (`\w+`(?:, `\w+`)*) \|([^|]*)\|/gm)]
  const documented = rows.flatMap(([, cell = '', status = '']) =>
    [...cell.matchAll(/\w+/g)].map(([code]) => ({ code: code as ErrorCode, status: status.trim() })),
  )
  assert.deepEqual(documented.map(({ code }) => code).toSorted(), codes.toSorted())
  for (const { code, status } of documented) {
    // The others have no status, or a column of words in its place.
    if (/^\d{3}(, \d{3})*$/.test(status)) assert.equal(Number(status.slice(0, 3)), statusOf(code), code)
  }
})

test('a hint with any command names the program as this shell finds it', () => {
  for (const name of program.commands.map((command) => command.name())) {
    assert.notEqual(pasteable(`atrium ${name}`), `atrium ${name}`, name)
  }
})
