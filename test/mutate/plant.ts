// Loaded before a test: puts a fault in place of one source file, in this process, its threads and its children. The query
// of its address says where: a thread or a child that gets no environment gets it by a flag of Node.
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import workerThreads, { type WorkerOptions } from 'node:worker_threads'

type Planting = { readonly place: string; readonly text: string }

const query = new URL(import.meta.url).searchParams
const planting = plantingOf(query.get('place'), query.get('text'))
const coverage = process.env['NODE_V8_COVERAGE']
const flag = `--import=${import.meta.url}`

if (planting) {
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context)
      return url.split('?')[0] === planting.place ? { ...loaded, source: faultyText(planting) } : loaded
    },
  })
}
passOnToThreads()
passOnToChildren()
passOnToReaders()
syncBuiltinESMExports()

function plantingOf(place: string | null, text: string | null): Planting | undefined {
  return place && text ? { place, text } : undefined
}

/** Also says, in a file beside the text, that it was taken: a fault in code that nothing loads is not planted. */
function faultyText({ text }: Planting): string {
  fs.appendFileSync(`${text}.taken`, 'x')
  return fs.readFileSync(text, 'utf8')
}

function passOnToThreads(): void {
  const { Worker } = workerThreads
  workerThreads.Worker = class extends Worker {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      const { execArgv = process.execArgv, env } = options
      const counted = coverage && typeof env === 'object' ? { env: { ...env, NODE_V8_COVERAGE: coverage } } : {}
      super(file, { ...options, ...counted, execArgv: [...execArgv, flag] })
    }
  }
}

/** To those that run a source with this Node, also behind a shell. Installed code and other programs are left alone. */
function passOnToChildren(): void {
  const spawn = childProcess.spawn as (file: string, args: readonly string[], options: object) => unknown
  const withFlag = (file: string, given?: unknown, options?: unknown): unknown => {
    const args = Array.isArray(given) ? (given as readonly string[]) : []
    const words = [file, ...args]
    const at = words.indexOf(process.execPath)
    const runsSource = at >= 0 && words.slice(at).some((word) => word.endsWith('.ts'))
    const added = runsSource ? [...(words.includes('--permission') ? permits() : []), flag] : []
    const [, ...passed] = [...words.slice(0, at + 1), ...added, ...words.slice(at + 1)]
    return spawn(file, passed, (Array.isArray(given) ? options : given) ?? {})
  }
  Object.assign(childProcess, { spawn: withFlag })
}

function permits(): string[] {
  const reads = [fileURLToPath(import.meta.url), ...(planting ? [planting.text] : [])]
  const writes = planting ? [`--allow-fs-write=${planting.text}.taken`] : []
  return [...reads.map((path) => `--allow-fs-read=${path}`), ...writes]
}

/** A source that is read as a text is written elsewhere and run there: it counts as executed where it is read. */
function passOnToReaders(): void {
  const { readFileSync } = fs
  const faulty = planting ? fileURLToPath(planting.place) : undefined
  const read = (path: unknown, ...options: unknown[]): unknown => {
    if (planting && path === faulty) return faultyText(planting)
    if (coverage && typeof path === 'string' && /\/src\/.*\.ts$/.test(path)) countRead(path, coverage)
    return Reflect.apply(readFileSync, fs, [path, ...options])
  }
  Object.assign(fs, { readFileSync: read })
}

function countRead(path: string, folder: string): void {
  const ranges = [{ startOffset: 0, endOffset: fs.statSync(path).size, count: 1 }]
  const result = [{ url: pathToFileURL(path).href, functions: [{ ranges }] }]
  fs.writeFileSync(join(folder, `read-${process.pid}-${basename(path)}.json`), JSON.stringify({ result }))
}
