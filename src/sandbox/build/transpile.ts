// Turns a component into JavaScript and bounded core modules. Runs in a process of its own that is thrown away.
import { checkNames, bounded, type CoreModule } from '#sandbox/package/modules.ts'
import { type Outline, outlineOf, unversioned } from '#sandbox/package/component.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { maxCoreModules } from '#sandbox/child/limits.ts'

export type Transpiled = {
  readonly outline: Outline
  /** `tool.js` and its core modules. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** What the transpiler gives; the package's own function fits it. */
export type Generate = (
  component: Uint8Array,
  options: {
    name: string
    instantiation: 'async'
    asyncMode: 'jspi'
    asyncImports: string[]
    asyncExports: string[]
    base64Cutoff: number
    emitTypescriptDeclarations: boolean
  },
) => {
  files: Record<string, Uint8Array>
  imports: string[]
  exports: [string, 'function' | 'instance'][]
}

const maxWordsChars = 300

/** Host functions that wait for the parent; all others answer at once. */
const waiting = ['http-request', 'tool-invoke', 'workspace-read']

/** Checks and transpiles. Nothing of what it returns has been run. Throws a fault that names what is wrong. */
export async function transpileComponent(bytes: Uint8Array, generate: Generate): Promise<Transpiled> {
  const outline = outlineOf(bytes)
  const made = generated(bytes, outline, generate)
  const seen = [...new Set(outline.imports.map(unversioned))].toSorted()
  const stated = [...new Set(made.imports.map(unversioned))].toSorted()
  // Interfaces of types alone are not imported by the code; nothing else may differ between the two readings.
  if (stated.some((name) => !seen.includes(name))) {
    throw new ToolFault('import_refused', 'the component hides an import; it is refused')
  }
  const script = made.files['tool.js']
  if (!script) throw new ToolFault('transpile_failed', 'the transpiler made no code of the component')
  const source = Buffer.from(script).toString('utf8')
  const wasm = Object.entries(made.files).filter(([name]) => /^tool\.core\d*\.wasm$/.test(name))
  if (wasm.length > maxCoreModules) {
    throw new ToolFault(
      'too_many_instances',
      `the component has ${wasm.length} core modules; at most ${maxCoreModules}`,
    )
  }
  const modules: CoreModule[] = wasm.map(([name, code]) => ({
    name,
    bytes: new Uint8Array(code),
    instances: instancesOf(source, name),
  }))
  // Names first: only then is the text of the generated code known to be the generator's alone.
  for (const module of modules) await checkNames(module.bytes)
  const safe = bounded(modules)
  for (const code of safe.values()) await checkNames(code)
  return { outline, files: new Map([['tool.js', script], ...safe]) }
}

function generated(bytes: Uint8Array, outline: Outline, generate: Generate): ReturnType<Generate> {
  try {
    return generate(bytes, {
      name: 'tool',
      instantiation: 'async',
      asyncMode: 'jspi',
      asyncImports: outline.host === undefined ? [] : waiting.map((name) => `${outline.host}#${name}`),
      asyncExports: [`${outline.tool}#execute`],
      // Every core module becomes a file, so that none escapes the checks inside the text.
      base64Cutoff: 0,
      emitTypescriptDeclarations: false,
    })
  } catch (error) {
    throw new ToolFault('component_malformed', `the file is not a valid WebAssembly component: ${wordsOf(error)}`, {
      cause: error,
    })
  }
}

/** What an error says, in one line that can be printed. The transpiler's own are records with a payload. */
export function wordsOf(error: unknown): string {
  const payload = error instanceof Error && 'payload' in error ? error.payload : error
  const message = payload instanceof Error ? payload.message : String(payload)
  return (message.split('\n', 1)[0] ?? '').replaceAll(/[^\x20-\x7e]/g, '?').slice(0, maxWordsChars)
}

/** How often the generated code instantiates a core module. */
function instancesOf(source: string, file: string): number {
  const index = new RegExp(`const module(\\d+) = getCoreModule\\('${file.replaceAll('.', '\\.')}'\\)`).exec(source)?.[1]
  if (index === undefined) throw new ToolFault('transpile_failed', 'the generated code has a shape that is not known')
  return [...source.matchAll(new RegExp(`instantiateCore\\(yield module${index}[,)]`, 'g'))].length
}
