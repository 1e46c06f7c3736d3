// Checks and bounds the core modules of a component: names must be safe in generated code, and every memory and table
// gets an upper limit.
import { maxToolMemoryMib } from '#core/page-limits.ts'
import { byte, type Cursor, cursorOf, leb, malformed, sectionsOf, u32 } from './wasm-reader.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { maxCoreInstances, maxMemories, maxTableEntries, maxTables } from '#sandbox/child/limits.ts'

export type CoreModule = {
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** How many times the component instantiates it. */
  readonly instances: number
}

type Limits = { readonly min: number; readonly max?: number }
type Table = { readonly type: readonly number[]; readonly limits: Limits }

/** All memories of a component together, in pages of 64 KiB. */
export const maxMemoryPages = maxToolMemoryMib * 16

const tableSection = 4
const memorySection = 5
/** Growth of a memory that starts empty, in pages. */
const helperPages = 16

/**
 * Names that the code generator may write into JavaScript: none can end a string or start code. Compilers and the component
 * model produce no others.
 */
const safeName = /^[A-Za-z0-9_$.:/@#<>[\]=+|-]{0,512}$/
/** Names of the transpiler's own helpers between two memories. */
const helperName = /^(?:mem\d+ [A-Za-z0-9]+|[a-z0-9-]+ \(mem\d+ => mem\d+\))$/

/** Throws name_refused when the name of an import or export could become code. */
export async function checkNames(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const module = await compile(bytes)
  const names = [
    ...WebAssembly.Module.imports(module).flatMap(({ module: from, name }) => [from, name]),
    ...WebAssembly.Module.exports(module).map(({ name }) => name),
  ]
  if (names.some((name) => !(safeName.test(name) || helperName.test(name)) || name === '__proto__')) {
    throw new ToolFault(
      'name_refused',
      'a core module of the component has an import or export name that is not allowed',
    )
  }
}

/** Rewrites the modules with bounded memories and tables. Throws when they need more than a tool may have. */
export function boundModules(modules: readonly CoreModule[]): Map<string, Uint8Array<ArrayBuffer>> {
  const instances = modules.reduce((sum, module) => sum + module.instances, 0)
  if (instances > maxCoreInstances) {
    throw new ToolFault(
      'too_many_instances',
      `the component instantiates ${instances} core modules; at most ${maxCoreInstances} are allowed`,
    )
  }
  const read = modules.map((module) => ({ ...module, ...readBounds(module.bytes) }))
  const memories = read.flatMap((module) => Array<Limits[]>(module.instances).fill(module.memories).flat())
  const tables = read.reduce((sum, module) => sum + module.instances * module.tables.length, 0)
  if (memories.length > maxMemories || tables > maxTables) {
    throw new ToolFault(
      'too_many_instances',
      `the component has ${memories.length} memories and ${tables} tables; at most ${maxMemories} and ${maxTables}`,
    )
  }
  const needed = memories.reduce((sum, { min }) => sum + min, 0)
  if (needed > maxMemoryPages) {
    throw new ToolFault(
      'memory_refused',
      `the component starts with ${needed} pages of memory; at most ${maxMemoryPages}`,
    )
  }
  const growth = growthOf(memories, maxMemoryPages - needed)
  return new Map(read.map((module) => [module.name, withBounds(module.bytes, module, growth)]))
}

/**
 * The number of pages that a memory may grow by. Among several memories, those that start empty belong to helpers and get
 * few pages; the others share the rest evenly.
 */
function growthOf(memories: readonly Limits[], free: number): (memory: Limits) => number {
  const helpers = memories.length > 1 ? memories.filter(({ min }) => min === 0).length : 0
  const mains = memories.length - helpers
  const helperShare = Math.min(helperPages, Math.floor(free / Math.max(1, helpers)))
  const share = mains > 0 ? Math.floor((free - helperShare * helpers) / mains) : 0
  return ({ min }) => (helpers > 0 && min === 0 ? helperShare : share)
}

async function compile(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes)
  } catch (error) {
    throw malformed('a core module in it does not compile', error)
  }
}

function readBounds(bytes: Uint8Array): { memories: Limits[]; tables: Table[] } {
  const sections = sectionsOf(bytes)
  const memories = sections.filter(({ id }) => id === memorySection).flatMap(({ body }) => listOf(body, limitsOf))
  const tables = sections.filter(({ id }) => id === tableSection).flatMap(({ body }) => listOf(body, tableOf))
  for (const { min } of tables.map(({ limits }) => limits)) {
    if (min > maxTableEntries) {
      throw new ToolFault('memory_refused', `a table starts with ${min} entries; at most ${maxTableEntries}`)
    }
  }
  return { memories, tables }
}

function listOf<T>(body: Cursor, read: (cursor: Cursor) => T): T[] {
  const cursor = cursorOf(body.bytes, body.at, body.end)
  const count = u32(cursor)
  const list: T[] = []
  for (let each = 0; each < count; each++) list.push(read(cursor))
  return list
}

function limitsOf(cursor: Cursor): Limits {
  const flags = byte(cursor)
  if (flags > 1) {
    throw new ToolFault('memory_refused', 'the component uses a shared or a 64-bit memory, which tools may not have')
  }
  const min = u32(cursor)
  return flags === 1 ? { min, max: u32(cursor) } : { min }
}

function tableOf(cursor: Cursor): Table {
  const start = cursor.at
  const first = byte(cursor)
  if (first === 0x40) throw new ToolFault('memory_refused', 'the component uses a table with an initial value')
  // A typed reference is followed by its heap type, a signed LEB128 number. Only its length matters here.
  if (first === 0x63 || first === 0x64) while (byte(cursor) >= 0x80);
  const type = [...cursor.bytes.subarray(start, cursor.at)]
  return { type, limits: limitsOf(cursor) }
}

function withBounds(
  bytes: Uint8Array,
  { memories, tables }: { memories: readonly Limits[]; tables: readonly Table[] },
  growth: (memory: Limits) => number,
): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [bytes.subarray(0, 8)]
  for (const { id, start, body } of sectionsOf(bytes)) {
    if (id === memorySection) {
      const limits = memories.map((each) => ({
        min: each.min,
        max: Math.min(each.max ?? maxMemoryPages, each.min + growth(each)),
      }))
      pieces.push(sectionOf(id, limits.map(limitBytes)))
    } else if (id === tableSection) {
      pieces.push(
        sectionOf(
          id,
          tables.map(({ type, limits: { min, max } }) => [
            ...type,
            ...limitBytes({ min, max: Math.min(max ?? maxTableEntries, maxTableEntries) }),
          ]),
        ),
      )
    } else pieces.push(bytes.subarray(start, body.end))
  }
  return new Uint8Array(Buffer.concat(pieces))
}

function sectionOf(id: number, entries: readonly (readonly number[])[]): Uint8Array {
  const body = [...leb(entries.length), ...entries.flat()]
  return Uint8Array.from([id, ...leb(body.length), ...body])
}

function limitBytes({ min, max }: { min: number; max: number }): number[] {
  return [1, ...leb(min), ...leb(max)]
}
