// Grants: what a user has allowed beyond one call. A grant covers a tool, or a tool with a target, and may end.
import { objectIn } from '#core/json.ts'

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

/** The grant of an answer. A string tells why there can be none: the call can then only be allowed once. */
export function grantFor(
  { name, args }: { readonly name: string; readonly args: string },
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
  if ((grantRequest.scope ?? defaultScope(args)) === 'tool') return { tool: name, ...more }
  const target = grantRequest.scope === 'file' ? fileOf(args) : targetOf(args)
  if (target === undefined) return `${name} has no host, folder, file or single command here that a grant could be for`
  return { tool: name, target, ...more }
}

/** The narrower one, wherever calls of this kind have a target: one that cannot be told is not a reason to allow them all. */
function defaultScope(args: string): 'tool' | 'target' {
  const { url, path, command } = objectIn(args) ?? {}
  return url === undefined && path === undefined && command === undefined ? 'tool' : 'target'
}

/** True when a grant stands for a call. */
export function covers(
  grant: Grant,
  { name, args }: { readonly name: string; readonly args: string },
  now: number,
): boolean {
  if (grant.tool !== name || (grant.until !== undefined && grant.until <= now)) return false
  if (grant.target === undefined) return true
  if (isFile(grant.target)) return fileOf(args) === grant.target
  const target = targetOf(args)
  if (target === undefined) return false
  // A folder stands for what is below it; a host never for its subdomains.
  return target === grant.target || (isFolder(grant.target) && target.startsWith(grant.target))
}

/** What a call is aimed at: `host:port` of an address, the folder of a path with its slash, a command's first word. */
export function targetOf(args: string): string | undefined {
  const { url, path, command } = objectIn(args) ?? {}
  if (typeof url === 'string') return hostOf(url)
  if (typeof path === 'string') return folderOf(path)
  return typeof command === 'string' ? firstWordOf(command) : undefined
}

/** The file that a call is aimed at, below the root `./`. */
export function fileOf(args: string): string | undefined {
  const { url, path } = objectIn(args) ?? {}
  if (url !== undefined || typeof path !== 'string' || folderOf(path) === undefined) return undefined
  return `./${path}`
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
