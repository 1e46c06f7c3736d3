// `atrium skill`: the operator's skills, with or without a running service, which notices.
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { AppError, cannotRead } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { type SkillFinding, type SkillFolder, skillFile } from '#core/skill.ts'
import { countWords } from '#core/words.ts'
import { readSafety } from '#app/safety-settings.ts'
import { isoTime } from '#core/time.ts'
import { decodeUtf8 } from '#lib/utf8.ts'
import { printable } from '#safety/printable.ts'
import type { FileChange } from '#skills/changes.ts'
import { readFolder } from '#skills/folder.ts'
import { createSkills, type OpenSkill, type Skills, type UserSkill } from '#skills/skills.ts'
import { readZip } from '#skills/zip.ts'
import { reloadService } from './running-service.ts'
import { withStore } from './home-store.ts'
import { readNamedFile } from './named-file.ts'
import { agrees } from './prompts.ts'
import { inColumns, listedBy, paint, print, table } from './report.ts'

const maxArchiveBytes = 14 * 1024 * 1024

type Options = { readonly json?: boolean; readonly yes?: boolean }

export async function addSkill(path: string, options: Options): Promise<void> {
  const folder = await readPath(path)
  await withSkills(async (skills) => {
    const skill = await skills.add(operator, folder)
    const added = `Added ${skill.name} (${countWords(skill.files.length, 'file')}). Every user has it.`
    const lines = [...findingLines(skill.findings), added, ...untrustedLines(skill)]
    print(options, wireOf(skill), lines.join('\n'))
  })
  await reloadService()
}

export function listSkills(options: Options): Promise<void> {
  return withSkills(async (skills) => {
    const all: OpenSkill[] = []
    for (const { name } of await skills.list(operator)) all.push(await skills.get(operator, name))
    const rows = all.map(({ name, description, files, enabled, untrusted }) => [
      enabled ? name : `${name} (off)`,
      untrusted ? 'not reviewed' : 'trusted',
      String(files.length),
      printable(description.replaceAll(/\s+/g, ' ')),
    ])
    const none = 'No skills yet: atrium skill add FOLDER'
    const text = rows.length > 0 ? inColumns(table([['NAME', 'TRUST', 'FILES', 'DESCRIPTION'], ...rows])) : none
    print(options, all.map(wireOf), text)
  })
}

export function showSkill(name: string, options: Options): Promise<void> {
  return withSkills(async (skills) => {
    const skill = await skills.get(operator, name)
    const text = await textOf(skills, skill, skillFile)
    const files = skill.files.map(
      (file) => `  ${file.path} (${file.bytes} bytes${file.untrusted ? ', not reviewed' : ''})`,
    )
    const lines = [
      `${skill.name}: ${skill.description}`,
      ...(skill.license === undefined ? [] : [`License: ${skill.license}`]),
      ...(skill.compatibility === undefined ? [] : [`Compatibility: ${skill.compatibility}`]),
      ...(skill.allowedTools
        ? [`Tools that it names (others ask in its turn): ${skill.allowedTools.join(', ') || 'none'}`]
        : []),
      'Files:',
      ...files,
      ...findingLines(skill.findings),
      ...untrustedLines(skill),
      '',
      text,
    ]
    print(options, { ...wireOf(skill), text }, printable(lines.join('\n'), { lines: true }))
  })
}

/** Exit code 1 when the folder is no skill. */
export async function checkFolder(path: string, options: Options): Promise<void> {
  const folder = await readPath(path).catch((error: unknown) => asFault(error, basename(resolve(path))))
  if ('level' in folder) return tellFindings(folder.file, [folder], options)
  await withSkills(async (skills) => tellFindings(folder.name, await skills.check(folder), options))
}

/** What can be read, but not as a folder of files, is no skill. */
function asFault(error: unknown, file: string): SkillFinding {
  if (!(error instanceof AppError) || (error.cause instanceof Error && 'syscall' in error.cause)) throw error
  return { level: 'fault', file, message: error.message }
}

function tellFindings(name: string, findings: readonly SkillFinding[], options: Options): void {
  const count = (level: SkillFinding['level']): number => findings.filter((each) => each.level === level).length
  const sum = `${countWords(count('fault'), 'fault')}, ${countWords(count('warning'), 'warning')}, ${countWords(count('note'), 'note')}.`
  print(options, { name, findings }, [...findingLines(findings), sum].join('\n'))
  if (count('fault') > 0) process.exitCode = 1
}

export async function updateSkill(path: string, options: Options): Promise<void> {
  const folder = await readPath(path)
  await withSkills(async (skills) => {
    const changes = await skills.changes(operator, folder)
    if (changes.length === 0) return print(options, { name: folder.name, changes }, `${folder.name} is up to date.`)
    const findings = await skills.check(folder)
    if (!options.json) process.stdout.write(`${changeLines(changes, findings).join('\n')}\n`)
    const asked = options.yes !== true
    if (asked) await mustAgree(`Update ${folder.name}?`, 'nothing was changed')
    // A person who answers has looked at it, unless a part was not shown.
    const trust = asked && changes.every(({ whole, kind }) => kind === 'removed' || whole)
    const skill = await skills.add(operator, folder, { replace: true, trust })
    print(options, { ...wireOf(skill), changes }, [`Updated ${skill.name}.`, ...untrustedLines(skill)].join('\n'))
  })
  await reloadService()
}

export async function reviewSkill(name: string, options: Options): Promise<void> {
  await withSkills(async (skills) => {
    const skill = await skills.get(operator, name)
    const files = skill.files.filter(({ untrusted }) => untrusted)
    if (files.length === 0) return print(options, wireOf(skill), `${name} is trusted already.`)
    if (!options.json) {
      for (const { path } of files) {
        const [head, text] = [`== ${printable(path)}`, printable(await textOf(skills, skill, path), { lines: true })]
        process.stdout.write(`${paint('1', head, process.stdout)}\n${text}\n`)
      }
      process.stdout.write(
        findingLines(skill.findings)
          .map((line) => `${line}\n`)
          .join(''),
      )
    }
    if (!options.yes) await mustAgree(`Trust ${name} as your own word?`, 'it stays untrusted')
    print(options, wireOf(await skills.review(operator, name, skill)), `${name} is trusted.`)
  })
  await reloadService()
}

export async function removeSkill(name: string, options: Options): Promise<void> {
  await withSkills((skills) => skills.remove(operator, name))
  await reloadService()
  print(options, { removed: name }, `Removed ${name}.`)
}

async function mustAgree(question: string, otherwise: string): Promise<void> {
  if (!process.stdin.isTTY) throw new AppError('invalid_input', `${otherwise}: look at it and repeat with --yes`)
  if (!(await agrees(question))) throw new AppError('forbidden', otherwise)
}

function withSkills(work: (skills: Skills) => Promise<void>): Promise<void> {
  return withStore(async (store) => {
    const safety = readSafety(await store.settings.all())
    const skills = createSkills({ store: store.skills, marker: () => safety.marker() })
    await listedBy('atrium skill list', () => work(skills))
  })
}

/** Reads a folder, or a ZIP archive with one. */
async function readPath(path: string): Promise<SkillFolder> {
  const found = await stat(path).catch(cannotRead(path))
  if (found.isDirectory()) return readFolder(path)
  return readZip(await readNamedFile(path, maxArchiveBytes))
}

async function textOf(skills: Skills, skill: OpenSkill, path: string): Promise<string> {
  const bytes = await skills.content(skill, path)
  const text = bytes && decodeUtf8(bytes)
  return text === undefined || text.includes('\0') ? `(no text, ${bytes?.length ?? 0} bytes)` : text
}

function findingLines(findings: readonly SkillFinding[]): string[] {
  const signs = {
    fault: paint('31', 'fault', process.stdout),
    warning: paint('33', 'warning', process.stdout),
    note: 'note',
  }
  return findings.map(({ level, file, line, message }) => {
    return `${signs[level]}: ${printable(`${file}${line === undefined ? '' : `:${line}`}: ${message}`)}`
  })
}

function changeLines(changes: readonly FileChange[], findings: readonly SkillFinding[]): string[] {
  return [
    ...changes.map(({ path, kind, diff }) =>
      diff === '' ? printable(`${kind} ${path} (no text)`) : printable(diff, { lines: true }),
    ),
    ...findingLines(findings),
  ]
}

function untrustedLines({ name, untrusted }: UserSkill): string[] {
  return untrusted
    ? [`Nobody has looked at it yet, so the agent reads it as text from outside: atrium skill review ${name}`]
    : []
}

function wireOf(skill: OpenSkill) {
  const { name, description, license, compatibility, metadata, allowedTools, author, enabled, untrusted } = skill
  return {
    name,
    description,
    license: license ?? null,
    compatibility: compatibility ?? null,
    metadata: metadata ?? {},
    allowed_tools: allowedTools ?? null,
    author,
    enabled,
    untrusted,
    files: skill.files.map(({ path, bytes, hash, untrusted: unseen }) => ({ path, bytes, hash, untrusted: unseen })),
    findings: skill.findings,
    updated_at: isoTime(skill.updatedAt),
  }
}
