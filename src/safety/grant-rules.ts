// Grants: what a user has allowed beyond one call. A grant covers a tool, or a tool with a target, and may end.
import type { Reach, Scope } from '#core/question.ts'

export type Grant = {
  readonly tool: string
  /** The host, the folder, the file or the command's first word; without one the grant covers the tool. */
  readonly target?: string
  /** When it ends, in ms; without one it stands for good. */
  readonly until?: number
  /** It stands only while the model has read nothing from outside. */
  readonly clean?: true
}

const hourMs = 3_600_000
const spans = { hour: hourMs, day: 24 * hourMs, good: undefined }

export type GrantRequest = {
  /** `file` is the one file of a call that names one. */
  readonly scope?: 'tool' | 'target' | 'file'
  readonly for: keyof typeof spans
  /** Whether it also stands once the model has read what others wrote; it does unless this is false. */
  readonly untrusted?: boolean
}

/** What a grant is given for: a call of a tool, and what it is aimed at. */
export type Granted = { readonly name: string; readonly reach: Reach | undefined }

/** The grant of an answer. A string tells why there can be none: the call can then only be allowed once. */
export function grantFor(
  { name, reach }: Granted,
  grantRequest: GrantRequest,
  { now, taint }: { readonly now: number; readonly taint: string | undefined },
): Grant | string {
  if (taint !== undefined) {
    return `the model has read ${taint}, so this call can only be allowed once; allow it for longer in a new thread`
  }
  const span = spans[grantRequest.for]
  const more = {
    ...(span !== undefined && { until: now + span }),
    ...(grantRequest.untrusted === false && { clean: true as const }),
  }
  // The narrower one, wherever a call is aimed at something: that it cannot be told is no reason to allow them all.
  if ((grantRequest.scope ?? (reach ? 'target' : 'tool')) === 'tool') return { tool: name, ...more }
  const target = grantRequest.scope === 'file' ? fileOf(reach) : targetOf(reach)
  if (target === undefined) return `${name} has no host, folder, file or single command here that a grant could be for`
  return { tool: name, target, ...more }
}

/** What a call can be allowed for beyond once, from narrow to wide; none under taint. */
export function scopesOf(reach: Reach | undefined, taint: string | undefined): readonly Scope[] {
  if (taint !== undefined) return []
  const file = fileOf(reach)
  const target = targetOf(reach)
  return [
    ...(file === undefined ? [] : [{ scope: 'file' as const, target: file, words: `on ${file.slice(2)}` }]),
    // The root stands for all that is below it: that is the whole tool.
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

/** True when a grant stands for a call. */
export function covers(grant: Grant, { name, reach }: Granted, now: number): boolean {
  if (grant.tool !== name || (grant.until !== undefined && grant.until <= now)) return false
  if (grant.target === undefined) return true
  if (isFile(grant.target)) return fileOf(reach) === grant.target
  const target = targetOf(reach)
  if (target === undefined) return false
  // A folder stands for what is below it; a host never for its subdomains.
  return target === grant.target || (isFolder(grant.target) && target.startsWith(grant.target))
}

/** What a grant can be for: `host:port` of an address, the folder of a path with its slash, a command's first word. */
export function targetOf(reach: Reach | undefined): string | undefined {
  if (reach?.type === 'url') return hostOf(reach.url)
  if (reach?.type === 'path') return folderOf(reach.path)
  return reach && firstWordOf(reach.command)
}

/** The file that a call is aimed at, below the root `./`. */
function fileOf(reach: Reach | undefined): string | undefined {
  return reach?.type === 'path' && folderOf(reach.path) !== undefined ? `./${reach.path}` : undefined
}

/** Neither a host nor a word has a slash. */
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

/** The root is `./`. A path with a second reading has no folder. */
function folderOf(path: string): string | undefined {
  const names = path.split('/')
  if (path === '' || /[\\\p{Cc}]/u.test(path) || names.some((name) => name === '' || name === '.' || name === '..'))
    return undefined
  return `./${names
    .slice(0, -1)
    .map((name) => `${name}/`)
    .join('')}`
}

/** Programs that run what they are told: their name says nothing of what will happen. */
const runners = new Set(
  (
    '. sh bash zsh dash fish ash ksh mksh csh tcsh pwsh busybox toybox env sudo su doas runuser pkexec chroot unshare ' +
    'nsenter setpriv ssh xargs parallel find awk gawk mawk time timeout nice ionice nohup setsid stdbuf watch script ' +
    'expect flock strace ltrace gdb command builtin eval exec source trap make npx node deno bun tsx ts-node python pypy ' +
    'perl ruby php lua tclsh systemd-run at batch'
  ).split(' '),
)

/** Of a command that is one command: nothing that joins, redirects, substitutes or expands. */
function firstWordOf(command: string): string | undefined {
  const word = /^[\w.-]+(?= |$)/.exec(command.trim())?.[0]
  if (word === undefined || isRunner(word) || /[;&|`$<>(){}\n\r\\]/.test(command)) return undefined
  return word
}

/** python3.12 is python. */
function isRunner(word: string): boolean {
  return runners.has(word) || runners.has(word.replace(/[\d.]+$/, ''))
}
