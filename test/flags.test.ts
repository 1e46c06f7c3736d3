// The command lines of the project's own scripts.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const checkout = join(import.meta.dirname, '..')

type Ran = { readonly code: unknown; readonly stdout: string; readonly stderr: string }

function run(script: string, ...args: readonly string[]): Promise<Ran> {
  const flags = ['--disable-warning=ExperimentalWarning', script, ...args]
  return new Promise((resolve) => {
    execFile(process.execPath, flags, { cwd: checkout }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
}

for (const [name, script, ...faults] of [
  [
    'prove',
    'test/proof/run.ts',
    [['--database', 'x'], /^--database is sqlite or postgres\n/],
    [['--ops', 'x'], /^--ops takes a number, not x\n/],
  ],
  ['soak', 'test/proof/soak/run.ts', [['--minutes', 'x'], /^--minutes takes a number above 0, not x\n/]],
  [
    'mutate',
    'test/mutate/run.ts',
    [['src', '--tests', '0'], /^--tests takes a number above 0, not 0\n/],
    [['src/nowhere'], /^src\/nowhere is no file or folder in src or web\n/],
  ],
  ['shots', 'test/web/shots.ts'],
  ['bench', 'bench/run.ts', [['--only', 'x'], /^there is no suite x\n/]],
  ['dev', 'tools/dev.ts', [['nope'], /^nope is no URL of a gateway\n/]],
] as const) {
  test(`npm run ${name} prints its usage, and says which flag is wrong`, async () => {
    const usage = new RegExp(`npm run ${name} -- \\[`)
    const help = await run(script, '--help')
    assert.deepEqual([help.code, help.stderr], [0, ''])
    assert.match(help.stdout, usage)
    for (const [args, fault] of [[['--nothing'], /^Unknown option '--nothing'/] as const, ...faults]) {
      const refused = await run(script, ...args)
      assert.deepEqual([refused.code, refused.stdout], [2, ''])
      assert.match(refused.stderr, fault)
      assert.match(refused.stderr, usage)
      assert.doesNotMatch(refused.stderr, /\n {4}at /)
    }
  })
}
