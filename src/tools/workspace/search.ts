// Looking for a pattern in the files of a workspace. Runs in a worker: the pattern is the model's.
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { matchesGlob } from 'node:path'
import { AppError } from '#core/errors.ts'
import { type Held, openFolder, type Place } from './safe-open.ts'
import { linesOf } from './read.ts'

export type Search = Place & { readonly pattern: string; readonly glob?: string }

const maxEntries = 50_000
const maxDepth = 64
const maxFileBytes = 2 * 1024 * 1024
const maxMatches = 100
const maxLineChars = 300
const around = 2
/** What a person would not look into either. */
const skipped = new Set(['.git', 'node_modules', '.venv', '__pycache__'])

/** The matches by file, each with the lines around it; a text for the model. */
export async function search({ root, names, pattern, glob }: Search): Promise<string> {
  const expression = readPattern(pattern)
  const found: string[] = []
  let entries = 0
  let matches = 0
  const full = (): boolean => matches >= maxMatches || entries >= maxEntries

  async function look(folder: Held, path: string, depth: number): Promise<void> {
    const list = (await readdir(folder.at('.'), { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of list) {
      if (full()) return
      entries++
      const shown = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory() && !skipped.has(entry.name) && depth < maxDepth) await enter(shown, depth + 1)
      else if (entry.isFile() && fits(shown, entry.name, glob)) await lookInto(folder.at(entry.name), shown)
    }
  }

  /** A folder that may not be read, or was changed into something else meanwhile, is left out. */
  async function enter(path: string, depth: number): Promise<void> {
    const inner = await openFolder({ root, names: path.split('/') }).catch(() => undefined)
    if (!inner) return
    await using held = inner
    await look(held, path, depth)
  }

  async function lookInto(path: string, shown: string): Promise<void> {
    const text = await textIn(path)
    if (text === undefined) return
    const lines = linesOf(text)
    const hits = lines.flatMap((line, at) => (expression.test(line) ? [at] : [])).slice(0, maxMatches - matches)
    matches += hits.length
    if (hits.length > 0) found.push(`${shown}\n${shownLines(lines, new Set(hits))}`)
  }

  await using folder = await openFolder({ root, names })
  await look(folder, names.join('/'), 0)
  if (found.length === 0) return 'Nothing matches.'
  const more = full() ? ['[there may be more: narrow the pattern, the path or the glob]'] : []
  return [...found, ...more].join('\n\n')
}

function readPattern(pattern: string): RegExp {
  try {
    const anyCase = pattern.startsWith('(?i)')
    return new RegExp(anyCase ? pattern.slice(4) : pattern, anyCase ? 'i' : '')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('invalid_input', `pattern is no regular expression: ${why}`, { param: 'pattern', cause: error })
  }
}

/** A glob without a slash is about the name alone. */
function fits(path: string, name: string, glob: string | undefined): boolean {
  return glob === undefined || matchesGlob(glob.includes('/') ? path : name, glob)
}

/** The text of a plain file that is no link; undefined for what is too large or no text. */
async function textIn(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > maxFileBytes) return undefined
    const bytes = Buffer.alloc(stats.size)
    const { bytesRead } = await file.read(bytes, 0, stats.size, 0)
    const text = bytes.subarray(0, bytesRead).toString('utf8')
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Matches have a colon after their number; what is left out between two is marked. */
function shownLines(lines: readonly string[], hits: ReadonlySet<number>): string {
  const shown: string[] = []
  let last = -1
  for (const at of lines.keys()) {
    const near = [...Array(2 * around + 1).keys()].some((step) => hits.has(at + step - around))
    if (!near) continue
    if (last >= 0 && at > last + 1) shown.push('  …')
    const line = lines[at] ?? ''
    const cut = line.length > maxLineChars ? `${line.slice(0, maxLineChars).toWellFormed()}…` : line
    shown.push(`${String(at + 1).padStart(6)}${hits.has(at) ? ':' : ' '} ${cut}`)
    last = at
  }
  return shown.join('\n')
}
