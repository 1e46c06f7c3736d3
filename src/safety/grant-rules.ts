// Grants: standing permissions of a user. A grant covers a tool, or a tool on one target, and may expire.
import type { Reach, Scope } from '#core/question.ts'

export type Grant = {
  readonly tool: string
  /** A host, a folder, a file or a command's first word; without one the grant covers every call of the tool. */
  readonly target?: string
  /** When it expires, in ms since the epoch; without it the grant never expires. */
  readonly until?: number
  /** The grant applies only while the model has read nothing from outside. */
  readonly clean?: true
}

const hourMs = 3_600_000
const durationsMs = { hour: hourMs, day: 24 * hourMs, good: undefined }

export type GrantRequest = {
  /** `file` is the single file that the call names. */
  readonly scope?: 'tool' | 'target' | 'file'
  readonly for: keyof typeof durationsMs
  /** False limits the grant to calls under no taint; see `Grant.clean`. */
  readonly untrusted?: boolean
}

/** A call of a tool, and its target. */
export type GrantedCall = { readonly name: string; readonly reach: Reach | undefined }

/** The grant that a user's answer asks for, or a string that says why the call can only be allowed once. */
export function grantFor(
  { name, reach }: GrantedCall,
  grantRequest: GrantRequest,
  { now, taint }: { readonly now: number; readonly taint: string | undefined },
): Grant | string {
  if (taint !== undefined) {
    return `the model has read ${taint}, so this call can only be allowed once; allow it for longer in a new thread`
  }
  const durationMs = durationsMs[grantRequest.for]
  const more = {
    ...(durationMs !== undefined && { until: now + durationMs }),
    ...(grantRequest.untrusted === false && { clean: true as const }),
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
  return [
    ...(file === undefined ? [] : [{ scope: 'file' as const, target: file, words: `on ${file.slice(2)}` }]),
    // A grant for the root folder would equal a grant for the whole tool.
    ...(target === undefined || target === './'
      ? []
      : [{ scope: 'target' as const, target, words: targetWords(reach, target) }]),
    { scope: 'tool', words: toolWords(reach) },
  ]
}

function targetWords(reach: Reach | undefined, target: string): string {
  if (reach?.type === 'url') return `to ${URL.parse(reach.url)?.host ?? target}`
  return reach?.type === 'path' ? `in ${target.slice(2)}` : `for ${target}`
}

function toolWords(reach: Reach | undefined): string {
  if (reach?.type === 'url') return 'to any host'
  if (reach?.type === 'command') return 'for any command'
  if (reach?.in === 'workspace') return 'anywhere in the workspace'
  return reach?.in === 'memory' ? 'on any document' : 'whatever it is given'
}

/** True when a grant covers a call. */
export function covers(grant: Grant, { name, reach }: GrantedCall, now: number): boolean {
  if (grant.tool !== name || (grant.until !== undefined && grant.until <= now)) return false
  if (grant.target === undefined) return true
  if (isFile(grant.target)) return fileOf(reach) === grant.target
  const target = targetOf(reach)
  if (target === undefined) return false
  // A folder covers what is below it; a host does not cover its subdomains.
  return target === grant.target || (isFolder(grant.target) && target.startsWith(grant.target))
}

/** The target of a grant: `host:port` of a URL, the folder of a path with a final slash, or a command's first word. */
export function targetOf(reach: Reach | undefined): string | undefined {
  if (reach?.type === 'url') return hostOf(reach.url)
  if (reach?.type === 'path') return folderOf(reach.path)
  return reach && firstWordOf(reach.command)
}

/** The file that a call names, as a path below the root `./`. */
function fileOf(reach: Reach | undefined): string | undefined {
  return reach?.type === 'path' && folderOf(reach.path) !== undefined ? `./${reach.path}` : undefined
}

/** Only files and folders have a slash; hosts and commands have none. */
function isFile(target: string): boolean {
  return target.startsWith('./') && !isFolder(target)
}

function isFolder(target: string): boolean {
  return target.endsWith('/')
}

function hostOf(url: string): string | undefined {
  try {
    const { protocol, hostname, port, username, password } = new URL(url)
    if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined
    return `${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`
  } catch {
    return undefined
  }
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

/** Programs that run other programs or code: their name alone does not say what will happen. */
const runners = new Set(
  (
    '. sh bash zsh dash fish ash ksh mksh csh tcsh pwsh busybox toybox env sudo su doas runuser pkexec chroot unshare ' +
    'nsenter setpriv ssh xargs parallel find awk gawk mawk time timeout nice ionice nohup setsid stdbuf watch script ' +
    'expect flock strace ltrace gdb command builtin eval exec source trap make npx node deno bun tsx ts-node python pypy ' +
    'perl ruby php lua tclsh systemd-run at batch'
  ).split(' '),
)

/** The first word of a single command; undefined if the command joins, redirects, substitutes or expands anything. */
function firstWordOf(command: string): string | undefined {
  const word = /^[\w.-]+(?= |$)/.exec(command.trim())?.[0]
  if (word === undefined || isRunner(word) || /[;&|`$<>(){}\n\r\\]/.test(command)) return undefined
  return word
}

/** Ignores a version at the end: python3.12 is python. */
function isRunner(word: string): boolean {
  return runners.has(word) || runners.has(word.replace(/[\d.]+$/, ''))
}
