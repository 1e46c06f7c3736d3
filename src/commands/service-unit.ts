// The systemd unit of the service: what it starts, and the sandbox around it. Pure.

export type UnitParts = {
  /** A unit of the whole machine, or of one user's own service manager. */
  readonly scope: 'system' | 'user'
  /** The launcher, `bin/atrium`. */
  readonly launcher: string
  readonly home: string
  /** The workspace, if it is outside the home. */
  readonly workspace?: string
  /** The account of a system unit. */
  readonly account?: string
  /** Folders that the PATH of the service begins with: that of its Node first. */
  readonly path: readonly string[]
  /** Folders with the program, where the sandbox would hide them: below /home or /root. */
  readonly program: readonly string[]
  /** A file with variables of the environment. It need not exist. */
  readonly environmentFile: string
  /** The service manager may make namespaces. A user's own cannot on every machine. */
  readonly namespaces: boolean
}

const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/**
 * These hold without any right: they only take calls of the kernel away. @mount is for the shell's confinement. systemd has
 * the calls of @sandbox under this name since version 254; earlier ones take them by their own names.
 */
const filters = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service @mount @pkey seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self',
  'SystemCallErrorNumber=EPERM',
]

const left = `# Not set on purpose. MemoryDenyWriteExecute: JavaScript and tools are compiled while they run. RestrictNamespaces: the shell
# tool is confined by namespaces. ProtectProc, ProcSubset, ProtectKernelTunables and ProtectKernelLogs cover parts of /proc,
# and the kernel then refuses the /proc of that confinement.`

/** The text of the unit file. */
export function unitText(parts: UnitParts): string {
  const { scope, launcher, home, account, environmentFile } = parts
  const system = scope === 'system'
  const path = [...new Set([...parts.path, ...systemPath])].join(':')
  const lines = [
    '[Unit]',
    'Description=Atrium, a self-hosted agent service',
    ...(system ? ['After=network-online.target', 'Wants=network-online.target'] : []),
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${quoted(launcher)} serve`,
    `Environment=${quoted(`ATRIUM_HOME=${home}`)} ${quoted(`PATH=${path}`)}`,
    '# Variables such as LLM_API_KEY, a NAME=value on each line. It wins over the lines above.',
    // The whole line is the path: it takes no quotes.
    `EnvironmentFile=-${specifiers(environmentFile)}`,
    ...(system ? [`User=${account ?? 'root'}`, ...stateOf(home)] : []),
    'Restart=on-failure',
    'RestartSec=2',
    '# A configuration that is wrong stays wrong.',
    'RestartPreventExitStatus=2',
    '# Open work gets ten seconds; a little more for the rest.',
    'TimeoutStopSec=20',
    'LimitNOFILE=65536',
    'UMask=0077',
    '',
    left,
    ...filters,
    ...(system ? systemSandbox(parts) : parts.namespaces ? userSandbox(parts) : []),
    '',
    '[Install]',
    `WantedBy=${system ? 'multi-user.target' : 'default.target'}`,
  ]
  return `${lines.join('\n')}\n`
}

/** systemd makes the folder of a home below /var/lib, with the right owner. */
function stateOf(home: string): string[] {
  const name = /^\/var\/lib\/([A-Za-z0-9_-]+)$/.exec(home)?.[1]
  return name === undefined ? [] : [`StateDirectory=${name}`, 'StateDirectoryMode=0700']
}

function systemSandbox({ home, workspace, program }: UnitParts): string[] {
  const writable = [...(stateOf(home).length > 0 ? [] : [home]), ...(workspace === undefined ? [] : [workspace])]
  // Below folders that `yes` hides nothing can be bound.
  const bound = program.length > 0 || writable.some(isPrivate)
  return [
    'CapabilityBoundingSet=',
    'AmbientCapabilities=',
    'ProtectSystem=strict',
    `ProtectHome=${bound ? 'tmpfs' : 'yes'}`,
    ...program.map((folder) => `BindReadOnlyPaths=${quoted(folder)}`),
    ...writable.map((folder) =>
      isPrivate(folder) ? `BindPaths=${quoted(folder)}` : `ReadWritePaths=${quoted(folder)}`,
    ),
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'ProtectClock=yes',
    'ProtectControlGroups=yes',
    'ProtectHostname=yes',
    'ProtectKernelModules=yes',
    'RemoveIPC=yes',
    'KeyringMode=private',
  ]
}

/** Programs of MCP servers keep their files in the user's folder, so all of it stays writable. */
function userSandbox({ home, workspace }: UnitParts): string[] {
  const writable = [home, ...(workspace === undefined ? [] : [workspace])].map(quoted)
  return [
    'ProtectSystem=strict',
    `ReadWritePaths=%h /tmp ${writable.join(' ')}`,
    'ProtectControlGroups=yes',
    'ProtectHostname=yes',
    'ProtectKernelModules=yes',
  ]
}

/** True for a path that ProtectHome hides. */
export function isPrivate(path: string): boolean {
  return /^\/(home|root|run\/user)(\/|$)/.test(path)
}

/** A word in a unit file: `%` begins a specifier, and a blank would end it. */
function quoted(word: string): string {
  return `"${specifiers(word).replaceAll(/["\\]/g, '\\$&')}"`
}

function specifiers(text: string): string {
  return text.replaceAll('%', '%%')
}
