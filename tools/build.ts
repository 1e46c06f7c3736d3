// Builds the tools of this checkout into components. Run by `npm ci` (prepare) and by the tests; a tool whose component
// is newer than its sources is left alone.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { renameSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { About } from '#hall/shipped.ts'
import { silentLog } from '#lib/log.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { createSandbox } from '#sandbox/supervisor/sandbox.ts'

export type BuildParts = {
  /** A folder with `tool.ts`, which exports `tool`, and whatever it imports from beside it. */
  readonly folder: string
  readonly out: string
  /** Files that stand in for those of the folder: name -> text. For tests, which point a tool at other places. */
  readonly instead?: ReadonlyMap<string, string>
}

const here = import.meta.dirname
const wit = resolve(here, '..', 'src', 'sandbox', 'wit')

/** Builds one TypeScript tool. Throws when the sources do not make a component. */
export async function buildTool({ folder, out, instead = new Map() }: BuildParts): Promise<void> {
  // Only here: whoever imports this file need not have the builder.
  const { componentize } = await import('componentize-qjs')
  const work = mkdtempSync(join(tmpdir(), 'atrium-tool-'))
  try {
    const files = new Map(sourcesOf(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
    for (const [name, text] of instead) files.set(name, text)
    files.set('prelude.ts', readFileSync(join(here, 'prelude.ts'), 'utf8'))
    for (const [name, text] of files) writeFileSync(join(work, name.replace(/\.ts$/, '.js')), plainScript(text))
    mkdirSync(join(work, 'wit'))
    for (const name of readdirSync(wit)) copyFileSync(join(wit, name), join(work, 'wit', name))
    const entry = `import './prelude.js'\nexport { tool } from './tool.js'\n`
    const jsPath = join(work, 'entry.js')
    writeFileSync(jsPath, entry)
    const { component } = await componentize({
      witPath: join(work, 'wit'),
      jsSource: entry,
      jsPath,
      moduleRoot: work,
      sync: true,
      optSize: true,
    })
    mkdirSync(join(out, '..'), { recursive: true })
    writeFileSync(`${out}.new`, component)
    renameSync(`${out}.new`, out)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Builds every tool whose component, or what it says of itself, is missing or older than its sources. */
export async function buildAll(): Promise<void> {
  const tools = readdirSync(here, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(here, entry.name, 'tool.ts')))
    .map(({ name }) => ({ name, folder: join(here, name), dist: join(here, name, 'dist') }))
  for (const { name, folder, dist } of tools) {
    const [out, about] = [join(dist, `${name}.wasm`), join(dist, `${name}.json`)]
    if (isFresh(folder, out) && isFresh(folder, about)) continue
    await buildTool({ folder, out })
    writeFileSync(about, JSON.stringify(await describe(name, folder, readFileSync(out))))
    console.log(`built tools/${name}/dist/${name}.wasm (${Math.round(statSync(out).size / 1_024)} KiB)`)
  }
}

/** What a component says of itself, asked in the sandbox as at any installation. */
async function describe(name: string, folder: string, component: Uint8Array): Promise<About> {
  const cacheFolder = mkdtempSync(join(tmpdir(), 'atrium-tool-'))
  const sandbox = createSandbox({
    cacheFolder,
    maxProcesses: 1,
    secret: () => Promise.resolve(undefined),
    scan: createLeakScan,
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

function plainScript(text: string): string {
  return stripTypeScriptTypes(text).replaceAll(/from '\.\/([A-Za-z0-9-]+)\.ts'/g, "from './$1.js'")
}

function sourcesOf(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
}

function isFresh(folder: string, out: string): boolean {
  if (!existsSync(out)) return false
  const sources = [
    ...sourcesOf(folder).map((name) => join(folder, name)),
    ...readdirSync(wit).map((name) => join(wit, name)),
    join(here, 'prelude.ts'),
    join(here, 'build.ts'),
  ]
  const made = statSync(out).mtimeMs
  return sources.every((path) => statSync(path).mtimeMs <= made)
}
