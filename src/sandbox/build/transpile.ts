// Turns a component into JavaScript and bounded core modules. Runs in the transpiling process only.
import { boundModules, checkNames, type CoreModule } from '#sandbox/package/modules.ts'
import { type Outline, outlineOf, unversioned } from '#sandbox/package/component.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { maxCoreModules } from '#sandbox/child/limits.ts'

/** The code generator of the transpiler's package. The named imports and exports of the component may wait. */
export type Generate = (
  component: Uint8Array,
  waiting: { imports: string[]; exports: string[] },
) => { files: ReadonlyMap<string, Uint8Array>; imports: string[] }

const maxMessageChars = 300

/** Host functions that wait for the service; all others return at once. */
const asyncHostFunctions = ['http-request', 'tool-invoke', 'workspace-read']

/**
 * Checks and transpiles a component without running any of it: gives `tool.js` and its core modules. Throws a fault that
 * says what is wrong.
 */
export async function transpileComponent(
  bytes: Uint8Array,
  generate: Generate,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const outline = outlineOf(bytes)
  const code = runGenerator(bytes, outline, generate)
  const outlined = outline.imports.map(unversioned)
  // The code may import less than the outline lists, because interfaces with only types need no code. Never more.
  if (code.imports.some((name) => !outlined.includes(unversioned(name)))) {
    throw new ToolFault('import_refused', 'the component hides an import; it is refused')
  }
  const script = code.files.get('tool.js')
  if (!script) throw new ToolFault('transpile_failed', 'the transpiler produced no code for the component')
  const source = Buffer.from(script).toString('utf8')
  const wasm = [...code.files].filter(([name]) => /^tool\.core\d*\.wasm$/.test(name))
  if (wasm.length > maxCoreModules) {
    throw new ToolFault(
      'too_many_instances',
      `the component has ${wasm.length} core modules; at most ${maxCoreModules}`,
    )
  }
  const modules: CoreModule[] = wasm.map(([name, bytes]) => ({
    name,
    bytes: new Uint8Array(bytes),
    instances: instancesOf(source, name),
  }))
  // Names before bounds: a hostile name could have put its own text into the generated code.
  for (const module of modules) await checkNames(module.bytes)
  const safe = boundModules(modules)
  for (const bytes of safe.values()) await checkNames(bytes)
  return new Map([['tool.js', script], ...safe])
}

function runGenerator(bytes: Uint8Array, outline: Outline, generate: Generate): ReturnType<Generate> {
  try {
    return generate(bytes, {
      imports: outline.host === undefined ? [] : asyncHostFunctions.map((name) => `${outline.host}#${name}`),
      exports: [`${outline.tool}#execute`],
    })
  } catch (error) {
    throw new ToolFault('component_malformed', `the file is not a valid WebAssembly component: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/** The first line of an error, printable. The transpiler's own errors are records with a payload. */
export function messageOf(error: unknown): string {
  const payload = error instanceof Error && 'payload' in error ? error.payload : error
  const message = payload instanceof Error ? payload.message : String(payload)
  return (message.split('\n', 1)[0] ?? '').replaceAll(/[^\x20-\x7e]/g, '?').slice(0, maxMessageChars)
}

/** How often the generated code instantiates a core module. */
function instancesOf(source: string, file: string): number {
  const index = new RegExp(`const module(\\d+) = getCoreModule\\('${file.replaceAll('.', '\\.')}'\\)`).exec(source)?.[1]
  if (index === undefined) throw new ToolFault('transpile_failed', 'the generated code has an unknown shape')
  return [...source.matchAll(new RegExp(`instantiateCore\\(yield module${index}[,)]`, 'g'))].length
}
