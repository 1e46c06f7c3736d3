// The package that `npm pack` makes, installed into an empty folder from the registry, with the oldest Node and with ours.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { atriumProcess } from './atrium.ts'
import { newHome } from './new-home.ts'
import { useAlone } from './use-alone.ts'

const run = promisify(execFile)
const checkout = join(import.meta.dirname, '..')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'atrium-pack-')))
const maxInstalledMb = 120
let tarball = ''

before(async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: checkout })
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { filename: string }[]
  tarball = join(folder, packed?.filename ?? '')
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** The folder of the oldest Node that runs the package; not every version of it is there for every machine. */
async function oldNode(): Promise<string> {
  const place = join(folder, 'old-node')
  mkdirSync(place)
  const name = `node-${process.platform}-${process.arch}`
  const install = (version: string) => run('npm', ['install', '--prefix', place, '--no-save', `${name}@${version}`])
  await install('24.16.0').catch(() => install('>=24.16.0 <25'))
  return join(place, 'node_modules', name, 'bin')
}

const nodes = { 'the oldest Node': oldNode, 'this Node': () => Promise.resolve(dirname(process.execPath)) }

for (const [which, find] of Object.entries(nodes)) {
  test(`the package runs on ${which} after npm install, without development packages`, async (context) => {
    const home = newHome()
    context.after(home.remove)
    const bin = await find()
    const place = join(folder, `with ${which}`)
    await run('npm', ['install', '--global', '--omit=dev', '--prefix', place, tarball])
    const { stdout: size } = await run('du', ['-sm', join(place, 'lib')])
    assert(Number.parseInt(size, 10) <= maxInstalledMb, `${size} MB are installed`)
    const program = [join(place, 'bin', 'atrium')] as const
    const env = { PATH: `${bin}:/usr/bin:/bin` }
    const said = await atriumProcess(home.path, ['run', 'what is 6 * 7?'], { program, env })
    assert.match(said.stdout, /42/, said.stderr)
    const about = await atriumProcess(home.path, ['--version'], { program, env })
    assert.match(about.stdout, /^\d+\.\d+\.\d+ \(commit [0-9a-f]{12}(-dirty)?\)\n$/)
    await useAlone(home.path, program, bin)
  })
}
