// Confines a command on Linux by namespaces: it does not see the service's own files and processes, and everything that it
// started ends with it. It can still use the network and whatever else its user may.
import { realpath } from 'node:fs/promises'
import { socketFolder } from '#lib/socket-folder.ts'
import { isInside } from './home-files.ts'

/** What is hidden from a command, and where it runs. All are real paths. */
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
export function confined(command: string, { home, cwd }: Confinement, { uid, gid }: Ids = idsOf()): Program {
  const visible = cwd !== home && isInside(home, cwd) ? cwd : ''
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  // What follows cannot undo the mounts: root without the capability, others in a second user namespace.
  const drop =
    uid === 0
      ? ['setpriv', `--bounding-set=${rootKeeps}`, '--inh-caps=-all', '--']
      : ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']
  const first = ['/bin/sh', '-c', script, 'sh', home, visible, socketFolder()]
  const args = uid === 0 ? namespaces : ['--user', '--map-root-user', ...namespaces]
  return { file: 'unshare', args: [...args, ...first, ...drop, '/bin/sh', '-c', command] }
}

type Ids = { readonly uid: number; readonly gid: number }

function idsOf(): Ids {
  return { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
}

/** Tries whether commands can be confined here. The reason if not: another system, no `unshare`, or no permission. */
export async function whyUnconfined(home: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux has the namespaces for it'
  const real = await realpath(home).catch(() => undefined)
  if (real === undefined) return `${home} does not exist`
  const { execFile } = await import('node:child_process')
  const { file, args } = confined('true', { home: real, cwd: '/' })
  return await new Promise((resolve) => {
    execFile(file, args, { env, cwd: '/', timeout: probeMs, encoding: 'utf8' }, (error, _output, said) => {
      resolve(error ? said.trim().split('\n', 1)[0] || `${file} failed (${error.code})` : undefined)
    })
  })
}
