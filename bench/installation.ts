// Size and time of an installation as users have it: the package that `npm pack` makes, without development packages.
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fixed, megabytes, type Suite } from './suite.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

export const installation: Suite = async ({ children }) => {
  const folder = children.folder()
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root })
  // The build prints before the JSON.
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { filename: string }[]
  const file = join(folder, packed?.filename ?? '')
  const place = join(folder, 'installed')
  const start = performance.now()
  await run('npm', ['install', '--global', '--omit=dev', '--no-audit', '--no-fund', '--prefix', place, file])
  const tookMs = performance.now() - start
  const { stdout: kilobytes } = await run('du', ['-sk', place])
  return [
    {
      title: 'Installation of the package, without Node',
      columns: ['', 'package MB', 'installed MB', 'npm install s'],
      rows: [
        [
          'atrium',
          fixed(statSync(file).size / 1e6, 1),
          megabytes(Number.parseInt(kilobytes, 10) * 1_024),
          fixed(tookMs / 1_000, 1),
        ],
      ],
    },
  ]
}
