// Reads a component's outline: its header, imports and exports. Checked before any other code parses the component.
import { byte, type Cursor, malformed, sectionsOf, text, u32 } from './wasm-reader.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { maxComponentBytes } from '#sandbox/child/limits.ts'

/** The version of the tool interface that a component was built for. */
export type WitVersion = '0.3' | '0.4'

export type Outline = {
  readonly imports: readonly string[]
  readonly witVersion: WitVersion
  /** The tool interface with its version, such as near:agent/tool@0.3.0. */
  readonly tool: string
  /** The host interface with its version; absent when the component does not import it. */
  readonly host?: string
}

/** WASI 0.2 interfaces that a guest may import. The child implements each without any access (child/wasi.ts). */
export const wasiInterfaces: readonly string[] = [
  ['wasi:cli', 'environment exit stdin stdout stderr'],
  ['wasi:cli', 'terminal-input terminal-output terminal-stdin terminal-stdout terminal-stderr'],
  ['wasi:io', 'error poll streams'],
  ['wasi:clocks', 'monotonic-clock wall-clock'],
  ['wasi:random', 'random insecure insecure-seed'],
  ['wasi:filesystem', 'types preopens'],
].flatMap(([from = '', names = '']) => names.split(' ').map((name) => `${from}/${name}`))

const importSection = 10
const exportSection = 11

/** Reads the outline. Throws a fault that says what is wrong, or which import is refused. */
export function outlineOf(bytes: Uint8Array): Outline {
  if (bytes.length > maxComponentBytes) {
    throw new ToolFault(
      'component_too_large',
      `the component has ${bytes.length} bytes; at most ${maxComponentBytes} are taken`,
    )
  }
  checkHeader(bytes)
  const sections = sectionsOf(bytes)
  const imports = sections.filter(({ id }) => id === importSection).flatMap(({ body }) => namesOf(body, false))
  const exports = sections.filter(({ id }) => id === exportSection).flatMap(({ body }) => namesOf(body, true))
  checkImports(imports)
  for (const name of exports) {
    if (!/^[A-Za-z0-9:/@.+-]{1,200}$/.test(name)) {
      throw new ToolFault('name_refused', 'an export of the component has a name that is not allowed')
    }
  }
  const tools = exports.filter((name) => /^near:agent\/tool@0\.[34]\.\d{1,5}$/.test(name))
  const [tool] = tools
  if (tool === undefined || tools.length > 1) {
    const found = exports.slice(0, 5).join(', ') || 'nothing'
    throw new ToolFault(
      'interface_missing',
      `the component must export near:agent/tool in version 0.3.x or 0.4.x, once; it exports ${found}`,
    )
  }
  const witVersion = versionOf(tool)
  const host = imports.find((name) => name.startsWith('near:agent/host@'))
  if (host !== undefined && versionOf(host) !== witVersion) {
    throw new ToolFault('interface_missing', `the component mixes ${tool} with ${host}; build it against one version`)
  }
  return { imports, witVersion, tool, ...(host !== undefined && { host }) }
}

/** An interface name without its version. */
export function unversioned(name: string): string {
  return name.replace(/@.*$/s, '')
}

function versionOf(name: string): WitVersion {
  return name.includes('@0.4.') ? '0.4' : '0.3'
}

function checkHeader(bytes: Uint8Array): void {
  const magic = bytes.length >= 8 && bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d
  if (!magic)
    throw new ToolFault(
      'not_a_component',
      'the file is not WebAssembly: give the component, such as dist/NAME.wasm of `atrium tool build`',
    )
  if (bytes[4] === 1 && bytes[6] === 0) {
    throw new ToolFault(
      'not_a_component',
      'the file is a core module, not a component: make one of it with `atrium tool build NAME.wasm` and install that',
    )
  }
  if (bytes[4] !== 0x0d || bytes[5] !== 0 || bytes[6] !== 1 || bytes[7] !== 0) {
    throw new ToolFault('not_a_component', 'the file is WebAssembly of an unknown version')
  }
}

function checkImports(imports: readonly string[]): void {
  const refused = imports.filter((name) => !isAllowedImport(name))
  if (refused.length > 0) {
    const shown = refused.slice(0, 5).map((name) => name.replaceAll(/[^A-Za-z0-9:/@.+-]/g, '?').slice(0, 100))
    throw new ToolFault(
      'import_refused',
      `the component has imports that tools may not use: ${shown.join(', ')}${refused.length > 5 ? ', …' : ''}`,
    )
  }
  const plain = imports.map(unversioned)
  const twice = plain.find((name, at) => plain.indexOf(name) !== at)
  if (twice) throw new ToolFault('import_refused', `the component imports ${twice} in two versions`)
}

function isAllowedImport(name: string): boolean {
  if (/^near:agent\/host@0\.[34]\.\d{1,5}$/.test(name)) return true
  // The types interface has no functions.
  if (/^near:agent\/types@0\.[34]\.\d{1,5}$/.test(name)) return true
  return /@0\.2\.\d{1,5}$/.test(name) && wasiInterfaces.includes(unversioned(name))
}

/** The names of an import or export section of a component. */
function namesOf(body: Cursor, exported: boolean): string[] {
  const count = u32(body)
  const names: string[] = []
  for (let each = 0; each < count; each++) {
    const form = byte(body)
    if (form > 1) throw malformed('it uses an unknown form of name')
    names.push(text(body))
    if (exported) {
      skipSort(body)
      u32(body)
      if (byte(body) === 1) skipType(body)
    } else skipType(body)
  }
  if (body.at !== body.end) throw malformed('a section has bytes left over')
  return names
}

function skipSort(body: Cursor): void {
  if (byte(body) === 0) byte(body)
}

function skipType(body: Cursor): void {
  const kind = byte(body)
  if (kind === 0 || kind === 2 || kind === 3) {
    const more = byte(body)
    // A resource bound has no index, every other form has one.
    if (kind === 3 && more === 1) return
    u32(body)
  } else if (kind === 1 || kind === 4 || kind === 5) u32(body)
  else throw malformed('it has a type of an unknown kind')
}
