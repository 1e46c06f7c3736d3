// Loads the scripts of the bundle (tools/script-chunks.ts), with the code that an earlier process has compiled of them. Node's
// own compile cache has what V8 compiles when it reads a file; this code is taken later, so it has the functions of a start
// too. Imported once in a process, by the entry of the bundle.
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { constants, Script } from 'node:vm'
import { crc32 } from 'node:zlib'

type Exports = Readonly<Record<string, unknown>>
type Meta = Pick<ImportMeta, 'dirname' | 'filename' | 'resolve' | 'url'>
/** The value of a script: the body of a module as a function that returns its exports. */
type Chunk = (load: (name: string) => Exports, loadLater: (name: string) => Promise<Exports>, meta: Meta) => Exports

type Unkept = { readonly name: string; readonly script: Script; readonly check: number }

/** How long after the last script the code is kept: a start is over by then. */
const keepMs = 1_000
const staleMs = 7 * 24 * 3_600_000
const suffix = '.code'
/** A checksum of the code, and one of its source. */
const headBytes = 8

const folder = import.meta.dirname
/** Node names it by its own version and the flags of V8. Without it nothing is kept. */
const cache = getCompileCacheDir()
/** Packages that are not part of the bundle are found as by any module. */
const resolve = (name: string): string => import.meta.resolve(name)
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
/** A service calls other functions at its start than a command does. */
const kind = process.argv[2] === undefined || process.argv[2] === 'serve' ? 'service' : 'command'
const loaded = new Map<string, Exports>()
const unkept: Unkept[] = []
let keeping: NodeJS.Timeout | undefined
process.once('exit', () => {
  while (unkept.length > 0) keepOne()
})

/** The exports of a script, which is run once. */
export function load(name: string): Exports {
  const known = loaded.get(name)
  if (known) return known
  const filename = join(folder, name)
  const source = sourceOf(filename)
  const check = crc32(source)
  const cachedData = cache === undefined ? undefined : keptCode(codeFile(cache, name), check)
  // All its characters are ASCII: V8 keeps them at one byte each.
  const options = { filename, importModuleDynamically, ...(cachedData && { cachedData }) }
  const script = new Script(source.toString('latin1'), options)
  if (cache !== undefined && (!cachedData || script.cachedDataRejected)) keepSoon({ name, script, check })
  const meta = { dirname: folder, filename, resolve, url: pathToFileURL(filename).href }
  const chunk = script.runInThisContext() as Chunk
  const exports = chunk(load, loadLater, meta)
  loaded.set(name, exports)
  return exports
}

/** The same as `import()`. */
export async function loadLater(name: string): Promise<Exports> {
  return load(name)
}

/** A script that is gone is told as a module would be: no caller shall take it for a file of its own that is not there. */
function sourceOf(filename: string): Buffer {
  try {
    return readFileSync(filename)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw Object.assign(new Error(`Cannot find module '${filename}'`), { code: 'ERR_MODULE_NOT_FOUND' })
  }
}

function codeFile(cacheFolder: string, name: string): string {
  return join(cacheFolder, `${name}.${kind}${suffix}`)
}

/** V8 compares no more than lengths: code that is damaged, or of another source, would end the process. */
function keptCode(file: string, check: number): Buffer | undefined {
  try {
    const bytes = readFileSync(file)
    const code = bytes.subarray(headBytes)
    return bytes.readUInt32LE(0) === crc32(code) && bytes.readUInt32LE(4) === check ? code : undefined
  } catch {
    return undefined
  }
}

function keepSoon(script: Unkept): void {
  unkept.push(script)
  clearTimeout(keeping)
  keeping = setTimeout(keepNext, keepMs).unref()
}

/** One script in each turn of the event loop. */
function keepNext(): void {
  keepOne()
  if (unkept.length > 0) keeping = setTimeout(keepNext, 1).unref()
}

/** Writes the code of one script: whole or not at all. A cache that cannot be written is no fault. */
function keepOne(): void {
  const next = unkept.shift()
  if (!next || cache === undefined) return
  const code = next.script.createCachedData()
  const head = Buffer.alloc(headBytes)
  head.writeUInt32LE(crc32(code), 0)
  head.writeUInt32LE(next.check, 4)
  const file = codeFile(cache, next.name)
  const part = `${file}.${process.pid}`
  try {
    writeFileSync(part, Buffer.concat([head, code]))
    renameSync(part, file)
    if (unkept.length === 0) removeStale(cache)
  } catch {
    rmSync(part, { force: true })
  }
}

/** Code of earlier bundles. What is still used is made again. */
function removeStale(cacheFolder: string): void {
  const before = Date.now() - staleMs
  for (const name of readdirSync(cacheFolder)) {
    const file = join(cacheFolder, name)
    if (name.includes(suffix) && statSync(file).mtimeMs < before) rmSync(file, { force: true })
  }
}
