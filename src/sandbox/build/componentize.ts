// Making a component of a tool in TypeScript: types stripped, wrapped so that what it throws is its error, handed to the
// builder of components.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { renameSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AppError } from '#core/errors.ts'
import { inCheckout } from '#lib/checkout.ts'
import { printable } from '#safety/printable.ts'

export type BuildParts = {
  /** A folder with `tool.ts`, which exports `tool`, and whatever it imports from beside it. */
  readonly folder: string
  readonly out: string
  /** Files that stand in for those of the folder: name -> text. For tests, which point a tool at other places. */
  readonly instead?: ReadonlyMap<string, string>
}

type Componentize = (parts: {
  witPath: string
  jsSource: string
  jsPath: string
  moduleRoot: string
  sync: boolean
  optSize: boolean
}) => Promise<{ component: Uint8Array }>

/** A package for those who build tools: nothing at run time needs it. */
const builder = 'componentize-qjs'
const maxReasonChars = 500

/**
 * What the builder's engine starts with. An option that a tool leaves out is none; what it throws is its error; what it gives
 * that is no text is written as JSON, since the engine breaks off over it.
 */
const entry = `import './prelude.js'
import { tool as written } from './tool.js'
const lacking = ['execute', 'schema', 'description'].filter((name) => typeof written?.[name] !== 'function')
if (lacking.length > 0) throw new Error('tool lacks ' + lacking.join(', '))
const words = (error) => (error instanceof Error ? error.message : text(error))
const text = (given) => (given == null || typeof given === 'string' ? given : JSON.stringify(given))
export const tool = {
  execute(request) {
    try {
      const said = written.execute(request) ?? {}
      if (typeof said.then === 'function') throw new Error('execute is async: the host answers at once, leave out async and await')
      return { output: text(said.output) ?? null, error: text(said.error) ?? null }
    } catch (error) {
      return { output: null, error: words(error) || 'the tool failed without saying why' }
    }
  },
  schema: () => text(written.schema()),
  description: () => text(written.description()),
}
`

/** Builds one TypeScript tool. Throws invalid_input that says what is wrong with its sources. */
export async function buildTool({ folder, out, instead = new Map() }: BuildParts): Promise<void> {
  const componentize = await loadBuilder()
  const work = mkdtempSync(join(tmpdir(), 'atrium-tool-'))
  try {
    const files = new Map(sourcesOf(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
    for (const [name, text] of instead) files.set(name, text)
    files.set('prelude.ts', readFileSync(inCheckout('tools', 'prelude.ts'), 'utf8'))
    for (const [name, text] of files) writeFileSync(join(work, name.replace(/\.ts$/, '.js')), plainScript(name, text))
    mkdirSync(join(work, 'wit'))
    const wit = witFolder()
    for (const name of readdirSync(wit)) copyFileSync(join(wit, name), join(work, 'wit', name))
    const jsPath = join(work, 'entry.js')
    writeFileSync(jsPath, entry)
    const component = await made(componentize, { jsPath, work })
    mkdirSync(dirname(out), { recursive: true })
    writeFileSync(`${out}.new`, component)
    renameSync(`${out}.new`, out)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

export function witFolder(): string {
  return inCheckout('src', 'sandbox', 'wit')
}

/** The files of a folder that a tool is made of. Throws invalid_input where it holds none. */
export function sourcesOf(folder: string): string[] {
  if (!existsSync(join(folder, 'tool.ts'))) {
    throw new AppError('invalid_input', `${folder} has no tool.ts: make one with \`atrium tool new\``)
  }
  return readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
}

async function made(
  componentize: Componentize,
  { jsPath, work }: { jsPath: string; work: string },
): Promise<Uint8Array> {
  try {
    const witPath = join(work, 'wit')
    const parts = { witPath, jsSource: entry, jsPath, moduleRoot: work, sync: true, optSize: true }
    return (await componentize(parts)).component
  } catch (error) {
    throw new AppError('invalid_input', `the tool could not be built: ${faultOf(error)}`, { cause: error })
  }
}

async function loadBuilder(): Promise<Componentize> {
  try {
    const { componentize } = (await import(builder)) as { componentize: Componentize }
    return componentize
  } catch (error) {
    const message = `the builder of components is not installed: run \`npm ci\` in ${inCheckout()} without leaving out development packages`
    throw new AppError('tool_refused', message, { cause: error })
  }
}

function plainScript(name: string, text: string): string {
  try {
    return stripTypeScriptTypes(text).replaceAll(/(from|import) (['"])\.\/([A-Za-z0-9_-]+)\.ts\2/g, "$1 './$3.js'")
  } catch (error) {
    // The only place where it tells the line.
    const line = error instanceof Error ? /^:(\d+)$/m.exec(error.stack ?? '')?.[1] : undefined
    const at = line === undefined ? '' : `, line ${line}`
    throw new AppError('invalid_input', `${name} cannot be read${at}: ${reasonOf(error)}`, { cause: error })
  }
}

/** What the builder found, in words of the sources: its own begin with every step it was at. */
function faultOf(error: unknown): string {
  const message = reasonOf(error)
  const [, named, file] =
    /failed to resolve JavaScript import "([^"]+)" from (?:\S*\/)?([^/\s]+)\.js/.exec(message) ?? []
  if (named !== undefined) {
    const place = named.replace(/\.js$/, '.ts')
    return `${file}.ts imports ${place}: only near:agent/host@0.3.0 and files beside tool.ts, such as './part.ts', can be`
  }
  const shape = 'export const tool = { execute, schema, description }'
  if (message.includes("Could not find export 'tool'")) return `tool.ts does not export tool: ${shape}`
  const thrown = /Error: (.*?)(?: +at .*)?$/.exec(message)?.[1]
  if (thrown?.startsWith('tool lacks')) return `${thrown}: ${shape}`
  return thrown ?? message
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return printable(message.replaceAll('\n', ' ').slice(0, maxReasonChars)).trim()
}
