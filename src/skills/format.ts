// Reads a folder as a skill: the YAML head and the Markdown of its SKILL.md, and the rules for its files. Pure; every fault
// names its file and, where there is one, its line.
import { isObject } from '#core/json.ts'
import {
  maxSkillBytes,
  maxSkillFiles,
  type SkillFinding,
  skillFile,
  type SkillFolder,
  type SkillHead,
} from '#core/skill.ts'
import { isSlashName } from '#core/slash-names.ts'
import { nextTurn } from '#lib/pace.ts'
import { decodeUtf8 } from '#lib/utf8.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import type { Fields } from './yaml.ts'

const maxHeadChars = 16 * 1024
/** Characters of a body that are loaded at once, with the list of files. A result of a tool is cut at 200,000. */
const maxLoadChars = 150_000
/** A longer text would fill the window of most models: it belongs in files beside it. */
const maxSkillFileBytes = 256 * 1024
const maxNameChars = 64
const maxDescriptionChars = 1_024
const maxCompatibilityChars = 500
const maxPathChars = 200
const maxTools = 100
const maxMetadata = 50

const fields = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools', 'allowedTools']

/** The skill in a folder; undefined when a finding is a fault. */
export type ReadSkill = {
  readonly skill?: { readonly head: SkillHead; readonly body: string }
  readonly findings: readonly SkillFinding[]
}

export async function readSkill(folder: SkillFolder): Promise<ReadSkill> {
  const findings: SkillFinding[] = [...filesFaults(folder)]
  const file = folder.files.find(({ path }) => path === skillFile)
  const split = file ? splitSkillFile(file.content) : noSkillFile(folder)
  if ('message' in split) return { findings: [...findings, split] }
  const read = await readHead(split.head, folder.name)
  findings.push(...read.findings)
  if (split.body.trim() === '') findings.push(finding('note', 'there is no text after the head', split.bodyLine))
  if (!read.head || findings.some(({ level }) => level === 'fault')) return { findings }
  return { skill: { head: read.head, body: split.body }, findings }
}

/** Why a name is not valid for a skill; undefined when it is. */
export function skillNameFault(name: string): string | undefined {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    return `a name has 1 to ${maxNameChars} of a-z, 0-9 and single hyphens, none at its ends`
  }
  return isSlashName(name) ? `/${name} is a command: choose another name` : undefined
}

/** The SKILL.md of a skill that has only a name, a description and a text. */
export function skillText({ name, description }: Pick<SkillHead, 'name' | 'description'>, body: string): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body.trim()}\n`
}

/** The Markdown of a SKILL.md that was read before. Of a long one the beginning, and how to read the rest. */
export function loadedBody(name: string, content: Uint8Array): string {
  const split = splitSkillFile(content)
  const body = 'body' in split ? split.body : ''
  if (body.length <= maxLoadChars) return body
  const end = /[\ud800-\udbff]/.test(body.charAt(maxLoadChars - 1)) ? maxLoadChars - 1 : maxLoadChars
  // The body is the end of the file, without the carriage returns in it: with those the offset is a little earlier.
  const before = (decodeUtf8(content) ?? '').replaceAll('\r\n', '\n').trimEnd().length - body.length
  const rest = `skill_read {"name": "${name}", "path": "${skillFile}", "offset": ${before + end + 1}}`
  return `${body.slice(0, end)}\n[characters 1 to ${end} of ${body.length}; go on with ${rest}]`
}

/** Why a path cannot be a file of a skill; undefined when it can. */
export function skillPathFault(path: string): string | undefined {
  if (path === '' || path.length > maxPathChars) return `a path has 1 to ${maxPathChars} characters`
  if (/[\p{Cc}\p{Cf}\\]/u.test(path)) return 'the path has a control character, a hidden one or a backslash'
  if (/^[a-z]:/i.test(path)) return 'the path names a drive'
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    return 'the path leaves the folder'
  }
  return undefined
}

function filesFaults({ files }: SkillFolder): SkillFinding[] {
  const faults: SkillFinding[] = []
  if (files.length > maxSkillFiles) {
    faults.push(finding('fault', `the folder has ${files.length} files, a skill has at most ${maxSkillFiles}`))
  }
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0)
  if (bytes > maxSkillBytes) {
    faults.push(finding('fault', `the folder has ${bytes} bytes, a skill has at most ${maxSkillBytes}`))
  }
  const seen = new Set<string>()
  const read = files.slice(0, maxSkillFiles)
  const folders = new Set(
    read.flatMap(({ path }) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))),
  )
  for (const { path } of read) {
    const twice = seen.has(path) ? 'the path occurs twice' : undefined
    const fault = skillPathFault(path) ?? twice ?? (folders.has(path) ? 'the path is a file and a folder' : undefined)
    if (fault) faults.push({ level: 'fault', file: path.slice(0, maxPathChars), message: fault })
    seen.add(path)
  }
  return faults
}

function noSkillFile({ files }: SkillFolder): SkillFinding {
  const other = files.find(({ path }) => /(^|\/)skill\.md$/i.test(path))?.path
  return finding('fault', `there is no ${skillFile} in the folder${other === undefined ? '' : `, but ${other}`}`)
}

type Split = { readonly head: string; readonly body: string; readonly bodyLine: number }

function splitSkillFile(content: Uint8Array): Split | SkillFinding {
  if (content.length > maxSkillFileBytes) {
    const rest = 'put parts of it into files beside it'
    return finding('fault', `it has ${content.length} bytes, at most ${maxSkillFileBytes} are read: ${rest}`)
  }
  const text = decodeUtf8(content)
  if (text === undefined || text.includes('\0')) return finding('fault', 'it is not UTF-8 text')
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  if (lines[0]?.trimEnd() !== '---') return finding('fault', 'it does not begin with a line of ---', 1)
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---')
  if (end < 0) return finding('fault', 'no line of --- ends the head', 1)
  const head = lines.slice(1, end).join('\n')
  if (head.length > maxHeadChars) {
    return finding('fault', `the head has ${head.length} characters, at most ${maxHeadChars} are read`, 1)
  }
  return {
    head,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
    bodyLine: end + 1,
  }
}

type ReadHead = { readonly head?: SkillHead; readonly findings: readonly SkillFinding[] }

async function readHead(text: string, folder: string): Promise<ReadHead> {
  const { readYaml } = await import('./yaml.ts')
  const strict = readYaml(text)
  // Many skills have a colon or a bracket in an unquoted line. Other agents take that, so it is read as it is meant.
  const quoted = strict.fault ? quoteLines(text) : text
  if (quoted !== text) await nextTurn()
  const lenient = quoted === text ? strict : readYaml(quoted)
  const { values, fault } = lenient.fault ? strict : lenient
  if (!values) return { findings: [finding('fault', fault.message, fault.line)] }
  const findings: SkillFinding[] = []
  if (lenient !== strict && strict.fault) {
    findings.push(finding('note', `${strict.fault.message}; read as if it were quoted`, strict.fault.line))
  }
  const fail = (field: string, message: string): void =>
    void findings.push(finding('fault', `${field} ${message}`, values.get(field)?.line ?? 1))
  const name = textField('name', values, { max: maxNameChars, required: true }, fail)
  const nameFault = name === undefined ? undefined : skillNameFault(name)
  if (nameFault) fail('name', `is ${JSON.stringify(name)}: ${nameFault}`)
  else if (name !== undefined && name !== folder) {
    fail('name', `is ${name}, the folder is ${JSON.stringify(folder.slice(0, maxPathChars))}: both must be the same`)
  }
  const description = textField('description', values, { max: maxDescriptionChars, required: true }, fail)
  const license = textField('license', values, { max: maxDescriptionChars }, fail)
  const compatibility = textField('compatibility', values, { max: maxCompatibilityChars }, fail)
  const metadata = metadataIn(values, fail)
  const allowedTools = toolsIn(values, fail)
  for (const [key, { line }] of values) {
    if (!fields.includes(key)) findings.push(finding('note', `${JSON.stringify(key)} is not used here`, line))
  }
  if (name === undefined || description === undefined) return { findings }
  const more = withoutUndefined({ license, compatibility, metadata, allowedTools })
  return { head: { name, description, ...more }, findings }
}

/** Quotes the values of plain lines. Blocks, quoted values, lists in brackets and lines that go on below stay. */
function quoteLines(head: string): string {
  const lines = head.split('\n')
  return lines
    .map((line, at) => {
      const [, key, value = ''] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/.exec(line) ?? []
      const isList = key === 'metadata' || (value.startsWith('[') && /^allowed-?tools$/i.test(key ?? ''))
      if (key === undefined || /^["'|>{]/.test(value) || isList || /^\s+\S/.test(lines[at + 1] ?? '')) return line
      return `${key}: ${JSON.stringify(value.trim())}`
    })
    .join('\n')
}

type Fail = (field: string, message: string) => void

function textField(
  field: string,
  values: Fields,
  { max, required = false }: { max: number; required?: boolean },
  fail: Fail,
): string | undefined {
  const value = values.get(field)?.value ?? undefined
  if (value === undefined) {
    if (required) fail(field, 'is missing')
    return undefined
  }
  // A license of 2.0, or a name of digits.
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') {
    fail(field, 'is not a text')
    return undefined
  }
  const trimmed = text.trim()
  // Characters as the format counts them: an emoji is one.
  const { length } = Array.from(trimmed)
  if (length === 0) fail(field, 'is empty')
  else if (length > max) fail(field, `has ${length} characters, at most ${max} are taken`)
  else return trimmed
  return undefined
}

function metadataIn(values: Fields, fail: Fail): SkillHead['metadata'] {
  const value = values.get('metadata')?.value ?? undefined
  if (value === undefined) return undefined
  if (!isObject(value)) {
    fail('metadata', 'is not a list of names and values')
    return undefined
  }
  const entries = Object.entries(value)
  if (entries.length > maxMetadata) fail('metadata', `has ${entries.length} entries, at most ${maxMetadata} are taken`)
  return Object.fromEntries(
    entries.map(([key, each]) => [key, typeof each === 'string' ? each : (JSON.stringify(each) ?? '')]),
  )
}

/** By spaces or commas, or a YAML list; `Bash(git add:*)` is one entry. */
function toolsIn(values: Fields, fail: Fail): readonly string[] | undefined {
  const field = values.has('allowed-tools') ? 'allowed-tools' : 'allowedTools'
  const value = values.get(field)?.value ?? undefined
  if (value === undefined) return undefined
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (!texts.every((each) => typeof each === 'string')) {
    fail(field, 'is neither a text nor a list of texts')
    return undefined
  }
  // A pattern without an end goes to the end: its tool must not become one that is named without a pattern.
  const tools = texts.flatMap((text) => text.match(/[^\s,()]+(?:\([^)]*\)?)?/g) ?? [])
  if (tools.length > maxTools) fail(field, `has ${tools.length} tools, at most ${maxTools} are taken`)
  return [...new Set(tools)]
}

function finding(level: SkillFinding['level'], message: string, line?: number): SkillFinding {
  return { level, file: skillFile, ...(line !== undefined && { line }), message }
}
