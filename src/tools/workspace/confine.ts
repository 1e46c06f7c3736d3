// Confines a command on Linux by namespaces: it does not see the service's own files and processes, and everything that it
// started ends with it. It can still use the network and whatever else its user may.
import type { ExecFileException } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { socketFolder } from '#lib/socket-folder.ts'
import { isInside } from '#lib/is-inside.ts'

/** Paths that are hidden from a command, and the folder where it runs. All are real paths. */
export type Confinement = {
  readonly home: string
  /** The folder in which it runs. It stays visible if it is in the home. */
  readonly cwd: string
}

export type Program = { readonly file: string; readonly args: readonly string[] }

const probeMs = 5_000

/**
 * The first process in the new namespaces: $1 is the home, $2 the folder in it that stays visible, or nothing, $3 the
 * folder of other sockets, if it exists. The rest is the program. An empty read-only folder is mounted over the home and the
 * sockets. The program runs as a child, because signals that the first process does not handle are lost; a shell's remark
 * on how the child ended goes nowhere. When the first process ends, the kernel ends every other one.
 */
const script = `
mount -t tmpfs -o mode=0700,size=1m none "$1" &&
if [ -n "$2" ]; then mkdir -p "$2" && mount -c --bind . "$2" && cd "$2"; fi &&
mount -o remount,ro,bind "$1" &&
if [ -d "$3" ]; then mount -t tmpfs -o ro,mode=0700,size=1m none "$3"; fi ||
{ echo 'the command could not be confined' >&2; exit 126; }
shift 3
exec 3>&2 2>/dev/null
/bin/sh -c 'exec "$@" 2>&3 3>&-' sh "$@"
exit $?
`

/** Capabilities that root keeps: those for work with files, users and ports, none for mounts, devices or the kernel. */
const rootKeeps = '-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+net_bind_service,+net_raw'

/** The program that runs a command of the shell in confinement. Without root, a user namespace allows the mounts. */
export function confined(command: string, { home, cwd }: Confinement): Program {
  const uid = process.geteuid?.() ?? 0
  const gid = process.getegid?.() ?? 0
  const visible = cwd !== home && isInside(home, cwd) ? cwd : ''
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  // The command cannot undo the mounts: root without the capability, others in a second user namespace.
  const drop =
    uid === 0
      ? ['setpriv', `--bounding-set=${rootKeeps}`, '--inh-caps=-all', '--']
      : ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']
  const first = ['/bin/sh', '-c', script, 'sh', home, visible, socketFolder()]
  const user = uid === 0 ? [] : ['--user', '--map-root-user']
  // It ends with the service too, which may be killed.
  const outer = ['--pdeathsig', 'KILL', '--', 'unshare', ...user, ...namespaces]
  return { file: 'setpriv', args: [...outer, ...first, ...drop, '/bin/sh', '-c', command] }
}

export type Unconfined = {
  readonly reason: string
  /** The machine was too busy to tell, so that it is worth another try. */
  readonly temporary: boolean
}

/**
 * Tries whether commands can be confined in a folder, and creates nothing. Why not: another system, no `unshare`, no
 * permission, or a busy machine. A folder that is missing is tried as one in the home, as it is by default.
 */
export async function whyUnconfined(
  { home, cwd }: Confinement,
  env: NodeJS.ProcessEnv,
): Promise<Unconfined | undefined> {
  if (process.platform !== 'linux') return { reason: 'only Linux has the namespaces for it', temporary: false }
  const realHome = await realpath(home).catch(() => undefined)
  if (realHome === undefined) return { reason: `${home} does not exist`, temporary: false }
  const realCwd = await realpath(cwd).catch(() => undefined)
  const { execFile } = await import('node:child_process')
  const { file, args } = confined('true', { home: realHome, cwd: realCwd ?? join(realHome, 'workspace') })
  // unshare blocks SIGTERM while it waits for its child.
  const options = { env, cwd: realCwd ?? realHome, timeout: probeMs, killSignal: 'SIGKILL', encoding: 'utf8' } as const
  return await new Promise<Unconfined | undefined>((resolve) => {
    execFile(file, args, options, (error, _output, said) => resolve(error ? unconfinedBy(error, said) : undefined))
    // Without memory, the start of a process throws.
  }).catch((error: ExecFileException) => unconfinedBy(error, ''))
}

function unconfinedBy({ code, signal }: ExecFileException, said: string): Unconfined {
  const reason = said.trim().split('\n', 1)[0] || `unshare failed (${code ?? signal})`
  // A timeout kills it, as the system does when memory is short.
  const isKilled = signal === 'SIGKILL'
  const isShort =
    /^(?:EAGAIN|ENOMEM|EMFILE|ENFILE)$/.test(String(code)) ||
    /Resource temporarily unavailable|Cannot allocate memory|Cannot fork|Too many open files/.test(said)
  return { reason, temporary: isKilled || isShort }
}
