// Searches the files of a workspace for a pattern. Runs in a worker, since the model's pattern may be slow.
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { matchesGlob } from 'node:path'
import { AppError, errorMessage } from '#core/errors.ts'
import { isLinkedToHome } from './home-files.ts'
import { type Location, type OpenFolder, openFolder } from './safe-open.ts'

export type Search = Location & { readonly pattern: string; readonly glob?: string }

const maxEntries = 50_000
const maxDepth = 64
const maxFileBytes = 2 * 1024 * 1024
const maxMatches = 100
const maxLineChars = 300
const contextLines = 2
const skippedFolders = new Set(['.git', 'node_modules', '.venv', '__pycache__'])

/** The matches by file, with the lines around each, as a text for the model. */
export async function search({ root, home, names, pattern, glob }: Search): Promise<string> {
  const expression = readPattern(pattern)
  const found: string[] = []
  let entries = 0
  let matches = 0
  const isFull = (): boolean => matches >= maxMatches || entries >= maxEntries

  async function searchFolder(folder: OpenFolder, path: string, depth: number): Promise<void> {
    const list = (await readdir(folder.at('.'), { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of list) {
      if (isFull()) return
      entries++
      const shown = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory() && !skippedFolders.has(entry.name) && depth < maxDepth) await enter(shown, depth + 1)
      else if (entry.isFile() && matchesFile(shown, entry.name, glob)) await searchFile(folder.at(entry.name), shown)
    }
  }

  /** Skips a folder that cannot be read, or that is no longer a folder. */
  async function enter(path: string, depth: number): Promise<void> {
    await using folder = await openFolder({ root, home, names: path.split('/') }).catch(() => undefined)
    if (folder) await searchFolder(folder, path, depth)
  }

  async function searchFile(path: string, shown: string): Promise<void> {
    const text = await textIn(path, home)
    if (text === undefined) return
    const lines = linesOf(text)
    const hits = lines.flatMap((line, at) => (expression.test(line) ? [at] : [])).slice(0, maxMatches - matches)
    matches += hits.length
    if (hits.length > 0) found.push(`${shown}\n${shownLines(lines, new Set(hits))}`)
  }

  await using folder = await openFolder({ root, home, names })
  await searchFolder(folder, names.join('/'), 0)
  if (found.length === 0) return 'Nothing matches.'
  const more = isFull() ? ['[there may be more: narrow the pattern, the path or the glob]'] : []
  return [...found, ...more].join('\n\n')
}

/** The lines of a text without their line ends. An empty last line does not count. */
function linesOf(text: string): string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function readPattern(pattern: string): RegExp {
  try {
    const ignoresCase = pattern.startsWith('(?i)')
    return new RegExp(ignoresCase ? pattern.slice(4) : pattern, ignoresCase ? 'i' : '')
  } catch (error) {
    throw new AppError('invalid_input', `pattern is not a regular expression: ${errorMessage(error)}`, {
      param: 'pattern',
      cause: error,
    })
  }
}

/** A glob without a slash is matched against the file name alone. */
function matchesFile(path: string, name: string, glob: string | undefined): boolean {
  return glob === undefined || matchesGlob(glob.includes('/') ? path : name, glob)
}

/** The text of a regular file; undefined for a link, a large file, binary data or a file that cannot be read. */
async function textIn(path: string, home: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > maxFileBytes || (await isLinkedToHome(stats, home))) return undefined
    const bytes = Buffer.alloc(stats.size)
    const { bytesRead } = await file.read(bytes, 0, stats.size, 0)
    const text = bytes.subarray(0, bytesRead).toString('utf8')
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** The matching lines with context. A match has a colon after its line number; `…` marks omitted lines. */
function shownLines(lines: readonly string[], hits: ReadonlySet<number>): string {
  const shown: string[] = []
  let last = -1
  for (const at of lines.keys()) {
    const near = [...Array(2 * contextLines + 1).keys()].some((step) => hits.has(at + step - contextLines))
    if (!near) continue
    if (last >= 0 && at > last + 1) shown.push('  …')
    const line = lines[at] ?? ''
    const cut = line.length > maxLineChars ? `${line.slice(0, maxLineChars).toWellFormed()}…` : line
    shown.push(`${String(at + 1).padStart(6)}${hits.has(at) ? ':' : ' '} ${cut}`)
    last = at
  }
  return shown.join('\n')
}
