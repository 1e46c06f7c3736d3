// How commands speak.
import assert from 'node:assert/strict'
import { type FileHandle, open as openFile, writeFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { programName } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { firstLine, inColumns, pasteable, reporting } from '#commands/report.ts'
import { openAllFiles } from '../full-files.ts'

test('a line ends where the terminal does; a pipe gets all of it', () => {
  assert.equal(inColumns('short\nmuch too long', 8), 'short\nmuch to…')
  assert.equal(inColumns('much too long', undefined), 'much too long')
})

test('the first line of a text is the first that says something', () => {
  assert.equal(firstLine('\n  \n  Reads a page.\nAnd more.'), 'Reads a page.')
  assert.equal(firstLine(' \n'), '')
})

test('a command is written with the way to its program, once, and a path is left as it is', () => {
  const said = `see \`${programName()} mcp list\``
  assert.equal(pasteable('see `atrium mcp list`'), said)
  assert.equal(pasteable(said), said)
  assert.equal(pasteable('in /opt/atrium run as atrium'), 'in /opt/atrium run as atrium')
})

/** What a command that does this work writes on standard error. */
async function told(t: TestContext, work: () => Promise<void>): Promise<unknown[]> {
  const written = t.mock.method(process.stderr, 'write', () => true)
  const { exitCode } = process
  await reporting(work)
  process.exitCode = exitCode
  return written.mock.calls.map(({ arguments: [text] }) => text)
}

test('a command that finds the disk full says so', async (t) => {
  assert.deepEqual(await told(t, () => writeFile('/dev/full', 'x')), [
    'error: the disk is full (ENOSPC: no space left on device, write): make room and try again\n',
  ])
})

test('a command that may open no other file says how it may, also where that kept it from something else', async (t) => {
  using _ = openAllFiles()
  const words =
    'error: too many open files: raise the limit, with `ulimit -n 4096` or LimitNOFILE in a unit of systemd\n'
  const held: FileHandle[] = []
  t.after(() => Promise.all(held.map((file) => file.close())))
  /** Until it is refused: what an earlier file of this process still closes makes room for one. */
  const open = async (): Promise<void> => {
    for (;;) held.push(await openFile('/dev/null'))
  }
  const load = (): Promise<void> =>
    open().catch((cause: unknown) => {
      throw new AppError('invalid_input', 'this file cannot be read: name another one', { cause })
    })
  for (const work of [open, load]) assert.deepEqual(await told(t, work), [words])
})
