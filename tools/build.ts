// Builds the tools that come with the project. Run by `npm ci` (postprepare). A tool whose component is newer than its
// sources is skipped.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type About, shipped } from '#app/shipped-tools.ts'
import { silentLog } from '#lib/log.ts'
import { placeFile } from '#lib/place-file.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { buildTool, sourcesOf, witFolder } from '#sandbox/build/componentize.ts'
import { createSandbox } from '#sandbox/supervisor/sandbox.ts'

const here = import.meta.dirname
/** The sources of the program that decide what is built. */
const makers = ['builder-child.ts', 'componentize.ts', 'run-builder.ts', 'tool-entry.ts']
/** The code of these tools comes to an end: only a busy machine takes long. */
const deadlineMs = 600_000

/** Builds every tool whose component or description file is missing or older than its sources. */
export async function buildAll(): Promise<void> {
  const tools = shipped.map((name) => ({ name, folder: join(here, name), dist: join(here, name, 'dist') }))
  for (const { name, folder, dist } of tools) {
    const [out, about] = [join(dist, `${name}.wasm`), join(dist, `${name}.json`)]
    if (isFresh(folder, out) && isFresh(folder, about)) continue
    const component = await buildTool({ folder, deadlineMs })
    const described = await describe(name, folder, component)
    mkdirSync(dist, { recursive: true })
    placeFile(out, component)
    placeFile(about, JSON.stringify(described))
    console.log(`built tools/${name}/dist/${name}.wasm (${Math.round(component.length / 1_024)} KiB)`)
  }
}

/** Reads a component's description and schema in the sandbox, as an installation does. */
async function describe(name: string, folder: string, component: Uint8Array): Promise<About> {
  const cacheFolder = mkdtempSync(join(tmpdir(), 'atrium-tool-'))
  const sandbox = createSandbox({
    cacheFolder,
    maxProcesses: 1,
    secret: () => Promise.resolve(undefined),
    scan: () => createLeakScan(),
    limits: { take: () => Promise.resolve({ allowed: false, retryAfterMs: 0 }) },
    log: silentLog,
    now: Date.now,
  })
  try {
    const capabilities = readFileSync(join(folder, 'capabilities.json'), 'utf8')
    const { sha256, description, schema } = await sandbox.load({ name, component, capabilities })
    return { sha256, description, schema: JSON.stringify(schema) }
  } finally {
    await sandbox.close()
    rmSync(cacheFolder, { recursive: true, force: true })
  }
}

function isFresh(folder: string, out: string): boolean {
  if (!existsSync(out)) return false
  const sources = [
    ...sourcesOf(folder).map((name) => join(folder, name)),
    ...readdirSync(witFolder()).map((name) => join(witFolder(), name)),
    join(here, 'prelude.ts'),
    join(here, 'build.ts'),
    ...makers.map((name) => join(here, '..', 'src', 'sandbox', 'build', name)),
  ]
  const made = statSync(out).mtimeMs
  return sources.every((path) => statSync(path).mtimeMs <= made)
}
