// Whether commands can be confined is tried as they run: with programs that fail in the ways of a machine.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { whyUnconfined } from '#tools/workspace/confine.ts'

const skip = process.platform !== 'linux'

/** Tries it for a workspace in the home, with programs of the machine replaced. */
async function tryWith(t: TestContext, programs: Readonly<Record<string, string>>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'atrium-confine-')))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const [home, bin] = [join(root, 'home'), join(root, 'bin')]
  for (const folder of [home, bin]) mkdirSync(folder)
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  return whyUnconfined({ home, cwd: join(home, 'workspace') }, { PATH: `${bin}:/usr/bin:/bin` })
}

test('where only the workspace cannot be mounted, commands are not confined', { skip }, async (t) => {
  // The first shell runs without namespaces, and every mount but that of the workspace succeeds.
  const unshare = 'while [ "$1" != /bin/sh ]; do shift; done; exec "$@"'
  const found = await tryWith(t, { unshare, mount: '[ "$2" != --bind ]' })
  assert.deepEqual(found, { reason: 'the command could not be confined', temporary: false })
})

const failures: readonly [script: string, reason: RegExp, temporary: boolean][] = [
  ['kill -KILL $$', /^unshare failed \(SIGKILL\)$/, true],
  ['echo "unshare: fork failed: Resource temporarily unavailable" >&2; exit 1', /^unshare: fork failed/, true],
  ['echo "unshare: unshare failed: Operation not permitted" >&2; exit 1', /not permitted$/, false],
  ['exit 1', /^unshare failed \(1\)$/, false],
]
for (const [script, reason, temporary] of failures) {
  test(`a failure is worth another try or not: ${script}`, { skip }, async (t) => {
    const found = await tryWith(t, { unshare: script })
    assert.match(found?.reason ?? '', reason)
    assert.equal(found?.temporary, temporary)
  })
}
