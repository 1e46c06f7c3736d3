// Grants: which one a user's answer asks for, and which calls a grant covers.
import type { NewGrant } from '#core/grant.ts'
import type { Reach, Scope } from '#core/question.ts'
import { dayMs, hourMs } from '#core/time.ts'
import { readerIn } from './reading-commands.ts'
import { parseUrl } from './urls.ts'

const durationsMs = { hour: hourMs, day: dayMs, good: undefined }

export type GrantRequest = {
  /** `file` is the single file that the call names. */
  readonly scope?: 'tool' | 'target' | 'file'
  readonly for: keyof typeof durationsMs
  /** False limits the grant to calls under no taint; see `NewGrant.clean`. */
  readonly untrusted?: boolean
}

/** A call of a tool, and its target. */
export type GrantedCall = { readonly name: string; readonly reach: Reach | undefined }

/** The grant that a user's answer asks for, or a string that says why the call can only be allowed once. */
export function grantFor(
  { name, reach }: GrantedCall,
  grantRequest: GrantRequest,
  { now, taint }: { readonly now: number; readonly taint: string | undefined },
): NewGrant | string {
  if (taint !== undefined) {
    return `the model has read ${taint}, so this call can only be allowed once; allow it for longer in a new thread`
  }
  const cleanOnly = reach?.type === 'command'
  if (cleanOnly && grantRequest.untrusted === true) {
    return `${name} runs a command, which cannot be allowed for turns that have read untrusted content`
  }
  const durationMs = durationsMs[grantRequest.for]
  const more = {
    ...(durationMs !== undefined && { until: now + durationMs }),
    ...((cleanOnly || grantRequest.untrusted === false) && { clean: true as const }),
  }
  // A call with a reach defaults to the narrow scope; a reach that gives no target must not widen the grant to the tool.
  if ((grantRequest.scope ?? (reach ? 'target' : 'tool')) === 'tool') return { tool: name, ...more }
  const target = grantRequest.scope === 'file' ? fileOf(reach) : targetOf(reach)
  if (target === undefined) return `${name} has no host, folder, file or single command here that a grant could be for`
  return { tool: name, target, ...more }
}

/** The scopes that a grant for a call can have, from narrow to wide; none under taint. */
export function scopesOf(reach: Reach | undefined, taint: string | undefined): readonly Scope[] {
  if (taint !== undefined) return []
  const file = fileOf(reach)
  const target = targetOf(reach)
  const scopes: Scope[] = [
    ...(file === undefined ? [] : [{ scope: 'file' as const, target: file, words: `on ${file.slice(2)}` }]),
    // A grant for the root folder would equal a grant for the whole tool.
    ...(target === undefined || target === './'
      ? []
      : [{ scope: 'target' as const, target, words: targetWords(reach, target) }]),
    { scope: 'tool', words: toolWords(reach) },
  ]
  return reach?.type === 'command' ? scopes.map((each) => ({ ...each, clean: true })) : scopes
}

function targetWords(reach: Reach | undefined, target: string): string {
  if (reach?.type === 'url') return `to ${URL.parse(reach.url)?.host ?? target}`
  if (reach?.type === 'path') return `in ${target.slice(2)}`
  return isExactCommand(target) ? 'for exactly this command' : `for ${target}, reading in the workspace`
}

function toolWords(reach: Reach | undefined): string {
  if (reach?.type === 'url') return 'to any host'
  if (reach?.type === 'command') return 'for any command'
  if (reach?.in === 'workspace') return 'anywhere in the workspace'
  return reach?.in === 'memory' ? 'on any document' : 'whatever it is given'
}

/** True when a grant covers a call. */
export function covers(grant: NewGrant, { name, reach }: GrantedCall, now: number): boolean {
  if (grant.tool !== name || (grant.until !== undefined && grant.until <= now)) return false
  if (grant.target === undefined) return true
  if (isFile(grant.target)) return fileOf(reach) === grant.target
  const target = targetOf(reach)
  if (target === undefined) return false
  // A folder covers what is below it; a host does not cover its subdomains.
  return target === grant.target || (isFolder(grant.target) && target.startsWith(grant.target))
}

/**
 * The target of a grant: `host:port` of a URL, the folder of a path with a final slash, `$ ` and a whole command, or the
 * first word of a command that only reads in the workspace.
 */
export function targetOf(reach: Reach | undefined): string | undefined {
  if (reach?.type === 'url') return hostOf(reach.url)
  if (reach?.type === 'path') return folderOf(reach.path)
  return reach && commandOf(reach)
}

/** The file that a call names, as a path below the root `./`. */
function fileOf(reach: Reach | undefined): string | undefined {
  return reach?.type === 'path' && folderOf(reach.path) !== undefined ? `./${reach.path}` : undefined
}

function isFile(target: string): boolean {
  return target.startsWith('./') && !target.endsWith('/')
}

function isFolder(target: string): boolean {
  return target.startsWith('./') && target.endsWith('/')
}

function isExactCommand(target: string): boolean {
  return target.startsWith(exactPrefix)
}

function hostOf(url: string): string | undefined {
  const parsed = parseUrl(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
    return undefined
  return `${parsed.hostname}:${parsed.port || (parsed.protocol === 'http:' ? '80' : '443')}`
}

/** The root is `./`. An ambiguous path has no folder. */
function folderOf(path: string): string | undefined {
  const names = path.split('/')
  if (path === '' || /[\\\p{Cc}]/u.test(path) || names.some((name) => name === '' || name === '.' || name === '..'))
    return undefined
  return `./${names
    .slice(0, -1)
    .map((name) => `${name}/`)
    .join('')}`
}

const exactPrefix = '$ '
/** A longer command is approved each time: nobody recognises it in a list of grants. */
const maxCommandChars = 500

/** A program may run others, so a command is granted with all its arguments, unless its program only reads. */
function commandOf({ command, in: where }: Extract<Reach, { type: 'command' }>): string | undefined {
  const reader = where === 'workspace' ? readerIn(command) : undefined
  if (reader !== undefined) return reader
  // Control and invisible characters would look like another command.
  if (command.trim() === '' || command.length > maxCommandChars || /[\p{Cc}\p{Cf}]/u.test(command)) return undefined
  return exactPrefix + command
}
