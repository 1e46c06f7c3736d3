// Findings that a reader should see before trusting a skill: hidden characters, orders that the marks of safety know, addresses,
// scripts, and links that leave the folder. Pure and bounded: of a long file only the beginning is read.
import { type SkillFile, skillFile, type SkillFinding, type SkillFolder } from '#core/skill.ts'
import { shellToolName } from '#core/tool-names.ts'
import { inPace } from '#lib/pace.ts'
import { decodeUtf8 } from '#lib/utf8.ts'
import { hiddenLetters } from '#safety/letters.ts'
import { type Mark, type Marker, markWords } from '#safety/marks.ts'
import { readSkill, type ReadSkill } from './format.ts'

const maxFileChars = 256 * 1024
const maxTotalChars = 2 * 1024 * 1024
/** Findings of one kind in one file; one more says how many were left out. */
const maxPerKind = 5
const maxFindings = 200
const maxShownChars = 100
/** Matches of a pattern in one slice of the work: a long file may have one at every letter. */
const maxSliceMatches = 100

const levels: readonly SkillFinding['level'][] = ['fault', 'warning', 'note']

export type CheckedSkill = ReadSkill & {
  /** True when a person should look at it before it counts as their own word. */
  readonly suspicious: boolean
}

/** Reads and checks a folder. */
export async function checkSkill(folder: SkillFolder, marker: Marker): Promise<CheckedSkill> {
  const { skill, findings } = await readSkill(folder)
  const all = [...findings, ...(await inPace(contentFindings(folder.files, marker)))]
  if (skill) all.push(...(await inPace(escapedFindings(skill.head.description, all, marker))))
  // The gravest first: many notes must not push a warning off the end.
  const gravest = levels.flatMap((level) => all.filter((each) => each.level === level))
  const suspicious = all.some(({ level }) => level === 'warning')
  return { ...(skill && { skill }), findings: gravest.slice(0, maxFindings), suspicious }
}

/** In slices: the caller can yield to the event loop between them. */
function* contentFindings(files: readonly SkillFile[], marker: Marker): Generator<void, SkillFinding[]> {
  let left = maxTotalChars
  const all: SkillFinding[] = []
  for (const { path, content } of files) {
    yield
    const script = scriptKind(path, content)
    if (script) all.push({ level: 'note', file: path, message: script })
    const text = decodeUtf8(content)
    if (text === undefined || text.includes('\0')) {
      all.push({ level: 'note', file: path, message: `is no text (${content.length} bytes)` })
      continue
    }
    const read = text.slice(0, Math.min(maxFileChars, left))
    left -= read.length
    all.push(...(yield* textFindings(path, read, marker)))
    if (read.length < text.length)
      all.push({ level: 'warning', file: path, message: `only the first ${read.length} characters were checked` })
  }
  return all
}

/** Warnings of the description as it goes into the prompt: escapes of YAML hide characters from who reads the file. */
function* escapedFindings(
  description: string,
  known: readonly SkillFinding[],
  marker: Marker,
): Generator<void, SkillFinding[]> {
  const told = new Set(known.map(({ message }) => message))
  const all = yield* textFindings(skillFile, description, marker)
  return all
    .filter(({ level, message }) => level === 'warning' && !told.has(message))
    .map(({ level, file, message }) => ({ level, file, message: `in the description, ${message}` }))
}

type Found = { readonly at: number; readonly message: string }

function* textFindings(file: string, text: string, marker: Marker): Generator<void, SkillFinding[]> {
  const lineAt = createLines(text)
  const told = (level: SkillFinding['level'], found: readonly Found[]): SkillFinding[] => {
    const rest = found.length - maxPerKind
    return [
      ...found.slice(0, maxPerKind).map(({ at, message }) => ({ level, file, line: lineAt(at), message })),
      ...(rest > 0 ? [{ level, file, message: `and ${rest} more like the last` }] : []),
    ]
  }
  const all = told('warning', yield* hiddenIn(text))
  all.push(...told('warning', ordersIn(text, yield* marker.findInSlices(text))))
  all.push(...told('warning', yield* linksOut(file, text)))
  all.push(...told('note', yield* addressesIn(text)))
  return all
}

function* eachMatch(text: string, pattern: RegExp, look: (match: RegExpExecArray) => void): Generator<void, void> {
  let count = 0
  for (const match of text.matchAll(pattern)) {
    look(match)
    if (++count % maxSliceMatches === 0) yield
  }
  yield
}

/**
 * Format characters, except joiners within other scripts and emoji, and a byte order mark at the beginning; control
 * characters, except white space, which move the cursor of a terminal. One variation selector belongs to the letter before
 * it; several in a row can hold a text.
 */
const control = String.raw`\0-\x08\x0e-\x1f\x7f-\x9f`
const hidden = new RegExp(String.raw`[${hiddenLetters}${control}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}`, 'gu')
const bidirectional = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

function* hiddenIn(text: string): Generator<void, Found[]> {
  const found: Found[] = []
  yield* eachMatch(text, hidden, ({ 0: letter, index: at }) => {
    const code = letter.codePointAt(0) ?? 0
    const joins = code === 0x200c || code === 0x200d
    const last = found.at(-1)
    if ((joins && /\P{ASCII}$/u.test(text.slice(Math.max(at - 2, 0), at))) || code === 0xad) return
    // One finding for a run of them.
    if (last && at - last.at < 80) return
    const what = bidirectional.test(letter)
      ? 'a character that turns the direction of text'
      : /\p{Cc}/u.test(letter)
        ? 'a control character'
        : 'a hidden character'
    found.push({ at, message: `${what}, U+${code.toString(16).toUpperCase().padStart(4, '0')}` })
  })
  return found
}

function ordersIn(text: string, marks: readonly Mark[]): Found[] {
  return marks
    .filter(({ severity }) => severity !== 'low')
    .map(({ rule, start, end }) => ({ at: start, message: `${markWords(rule)} (${rule}): ${shown(text, start, end)}` }))
}

/** Markdown links, and their definitions. */
const links = /\]\(\s{0,8}<?([^)\s<>]{1,500})|^ {0,3}\[[^\]\n]{1,100}\]:[ \t]{1,8}<?(\S{1,500})/gm

function* linksOut(file: string, text: string): Generator<void, Found[]> {
  const found: Found[] = []
  yield* eachMatch(text, links, ({ 1: inline, 2: defined, index: at }) => {
    const target = inline ?? defined ?? ''
    if (leaves(file, target))
      found.push({ at, message: `a link that leaves the folder: ${target.slice(0, maxShownChars)}` })
  })
  return found
}

function leaves(file: string, target: string): boolean {
  const path = target
    .replace(/[?#].*$/s, '')
    .replaceAll('%2e', '.')
    .replaceAll('%2E', '.')
    .replaceAll('\\', '/')
  if (/^file:/i.test(path) || /^[a-z]:\//i.test(path) || path.startsWith('~')) return true
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || path.startsWith('//')) return false
  if (path.startsWith('/')) return true
  let depth = file.split('/').length - 1
  for (const part of path.split('/')) {
    if (part === '..') depth--
    else if (part !== '' && part !== '.') depth++
    if (depth < 0) return true
  }
  return false
}

const addresses = /\b(?:https?|ftp|wss?):\/\/([a-z0-9[][a-z0-9.:[\]-]{0,252})/gi

/** Each host once, at its first place. */
function* addressesIn(text: string): Generator<void, Found[]> {
  const hosts = new Map<string, number>()
  yield* eachMatch(text, addresses, ({ 1: host = '', index }) => {
    const name = host.toLowerCase().replace(/[.:]+$/, '')
    if (!hosts.has(name)) hosts.set(name, index)
  })
  return [...hosts].map(([host, at]) => ({ at, message: `an address: ${host}` }))
}

const scriptName =
  /\.(?:sh|bash|zsh|fish|ps1|bat|cmd|py|js|mjs|cjs|ts|rb|pl|php|lua|r|jl|go|rs|swift|applescript|exe|dll|so|dylib|wasm|jar)$/i

const script = `a script: it is a file to read, and runs only through ${shellToolName}`

function scriptKind(path: string, content: Uint8Array): string | undefined {
  const head = Buffer.from(content.subarray(0, 4)).toString('latin1')
  if (head.startsWith('#!')) return script
  if (head === '\x7fELF' || head.startsWith('MZ')) return 'a program: nothing here runs it'
  return scriptName.test(path) ? script : undefined
}

function shown(text: string, start: number, end: number): string {
  return JSON.stringify(text.slice(start, Math.min(end, start + maxShownChars)).replaceAll(/\s+/g, ' '))
}

/** The line of a position; line ends are searched for once. */
function createLines(text: string): (at: number) => number {
  let starts: number[] | undefined
  return (at) => {
    starts ??= [...text.matchAll(/\n/g)].map(({ index }) => index)
    let [low, high] = [0, starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] as number) < at) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
