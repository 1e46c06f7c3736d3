// `atrium service`: installs, shows and removes a systemd unit for this home: the user's own, or the machine's for root.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { loadConfig, serviceEnvironment } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { inCheckout } from '#lib/checkout.ts'
import { printable } from '#safety/printable.ts'
import { print, say, table } from './report.ts'
import { findService } from './running-service.ts'
import { callService } from './service-client.ts'
import { isPrivate, type UnitParts, unitText } from './service-unit.ts'

const unit = 'atrium.service'
const systemAccount = 'atrium'
const systemHome = '/var/lib/atrium'
const commandMs = 60_000
const startMs = 30_000
const pollMs = 200
const statusMs = 5_000
const maxSaidChars = 500

export type Ran = { readonly ok: boolean; readonly stdout: string; readonly stderr: string }

/** The machine that a unit is installed on. Tests pass one of their own. */
export type Machine = {
  readonly root: boolean
  /** systemd is the first process. */
  readonly booted: boolean
  /** The folder of units, and the file with variables. */
  readonly units: string
  readonly environmentFile: string
  readonly run: (file: string, args: readonly string[]) => Promise<Ran>
  /** True once the service answers on a home. */
  readonly answers: (home: string) => Promise<boolean>
}

export async function installService(options: { print?: boolean }, machine = thisMachine()): Promise<void> {
  const parts = await unitParts(machine)
  const text = unitText(parts)
  const file = join(machine.units, unit)
  if (options.print || !machine.booted) {
    process.stdout.write(text)
    if (!options.print)
      process.stderr.write(
        `This machine was not booted with systemd: nothing was installed. The unit belongs into ${file}.\n`,
      )
    return
  }
  if (!(await isActive(machine)) && (await machine.answers(parts.home))) {
    throw new AppError('home_locked', `a service runs on ${parts.home} already: stop it first`)
  }
  await verify(machine, text)
  if (machine.root) await addAccount(machine, parts.home)
  writeWhole(file, text)
  await must(machine, 'daemon-reload')
  await must(machine, 'enable', unit)
  await must(machine, 'restart', unit)
  // Without it, the service of a user ends when the user logs out.
  const lingers = machine.root || (await machine.run('loginctl', ['enable-linger'])).ok
  await answered(machine, parts.home)
  const lines = [
    `Installed ${file}: Atrium runs on ${parts.home}, and starts with the machine.`,
    ...(lingers ? [] : ['It ends when you log out: loginctl enable-linger was refused.']),
    ...variableLines(machine),
    machine.root
      ? `Sign in:  sudo -u ${systemAccount} ATRIUM_HOME=${parts.home} atrium login`
      : 'Sign in:  atrium login',
    `Its log:  journalctl ${machine.root ? '' : '--user '}-u atrium`,
  ]
  say(lines.join('\n'))
}

export async function serviceStatus(options: { json?: boolean }, machine = thisMachine()): Promise<void> {
  const file = join(machine.units, unit)
  const installed = existsSync(file)
  const names = ['ActiveState', 'SubState', 'UnitFileState', 'MainPID', 'Result']
  const { stdout } = machine.booted
    ? await control(machine, 'show', unit, `--property=${names.join(',')}`)
    : { stdout: '' }
  const facts = Object.fromEntries(stdout.split('\n').flatMap((line) => pairOf(line)))
  const active = facts['ActiveState'] === 'active'
  const data = { installed, file, systemd: machine.booted, active, ...facts }
  const rows = names.flatMap((name) => (facts[name] ? [[name, facts[name]]] : []))
  const way = machine.booted
    ? 'Install one:  atrium service install'
    : 'This machine was not booted with systemd. Run the service yourself:  atrium serve'
  const head = installed ? `${file} is installed.${machine.booted ? '' : ` ${way}`}` : `No unit is installed. ${way}`
  print(options, data, installed && rows.length > 0 ? `${head}\n${table(rows)}` : head)
  if (!active) process.exitCode = 1
}

/** The home and its data stay. */
export async function uninstallService(machine = thisMachine()): Promise<void> {
  const file = join(machine.units, unit)
  if (!existsSync(file)) throw new AppError('not_found', `no unit is installed in ${machine.units}`)
  if (machine.booted) await must(machine, 'disable', '--now', unit)
  rmSync(file)
  if (machine.booted) await must(machine, 'daemon-reload')
  say(`Removed ${file}. The home with all data stays.`)
}

async function unitParts(machine: Machine): Promise<UnitParts> {
  const { home: ownHome, workspace } = loadConfig()
  const { variables } = serviceEnvironment()
  const home = machine.root && !variables.includes('ATRIUM_HOME') ? systemHome : ownHome
  const outside = relative(ownHome, workspace).startsWith('..')
  const node = dirname(process.execPath)
  return {
    scope: machine.root ? 'system' : 'user',
    launcher: inCheckout('bin', 'atrium'),
    home,
    ...(outside && { workspace }),
    ...(machine.root && { account: systemAccount }),
    path: [node, ...(machine.root ? [] : [join(homedir(), '.local', 'bin')])],
    program: machine.root ? [inCheckout(), dirname(node)].filter(isPrivate) : [],
    environmentFile: machine.environmentFile,
    namespaces: machine.root || (machine.booted && (await mayMakeNamespaces(machine))),
  }
}

/** Some systems deny user namespaces, without which a user's service manager cannot protect files. */
async function mayMakeNamespaces({ run }: Machine): Promise<boolean> {
  const trial = ['--user', '--wait', '--collect', '--quiet', '--property=ProtectSystem=strict', 'true']
  return (await run('systemd-run', trial)).ok
}

async function verify({ run, root }: Machine, text: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-unit-'))
  try {
    writeFileSync(join(folder, unit), text)
    const { ok, stderr } = await run('systemd-analyze', [...(root ? [] : ['--user']), 'verify', join(folder, unit)])
    if (!ok && !/ENOENT/.test(stderr)) throw refused('systemd does not take the unit', stderr)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The account of a system unit, and its home where systemd does not make it. */
async function addAccount({ run }: Machine, home: string): Promise<void> {
  if (!(await run('id', ['-u', systemAccount])).ok) {
    const shell = ['/usr/sbin/nologin', '/sbin/nologin'].find((each) => existsSync(each)) ?? '/bin/false'
    const where = ['--home-dir', systemHome, '--no-create-home', '--shell', shell]
    const { ok, stderr } = await run('useradd', ['--system', '--user-group', ...where, systemAccount])
    if (!ok) throw refused(`the user ${systemAccount} could not be added`, stderr)
  }
  if (home === systemHome) return
  const owner = ['-o', systemAccount, '-g', systemAccount]
  const { ok, stderr } = await run('install', ['-d', '-m', '0700', ...owner, home])
  if (!ok) throw refused(`${home} could not be made`, stderr)
}

async function answered(machine: Machine, home: string): Promise<void> {
  for (const until = performance.now() + startMs; performance.now() < until; await pause(pollMs)) {
    if (await machine.answers(home)) return
    if (!(await isActive(machine))) break
  }
  const journal = `journalctl ${machine.root ? '' : '--user '}-u atrium -n 20`
  throw new AppError('shutting_down', `the unit is installed, but the service does not answer: see ${journal}`)
}

/** Variables of this shell do not reach the service. Their values are not copied: some are secrets. */
function variableLines({ environmentFile }: Machine): string[] {
  const names = serviceEnvironment().variables.filter((name) => name !== 'ATRIUM_HOME')
  if (names.length === 0) return []
  return [
    `Set in this shell, and unknown to the service: ${names.join(', ')}. Put them into ${environmentFile} (mode 0600).`,
  ]
}

async function isActive(machine: Machine): Promise<boolean> {
  return (await control(machine, 'is-active', '--quiet', unit)).ok
}

function control({ run, root }: Machine, ...args: readonly string[]): Promise<Ran> {
  return run('systemctl', [...(root ? [] : ['--user']), ...args])
}

async function must(machine: Machine, ...args: readonly string[]): Promise<void> {
  const { ok, stderr } = await control(machine, ...args)
  if (!ok) throw refused(`systemctl ${args[0]} failed`, stderr)
}

function refused(what: string, said: string): AppError {
  return new AppError('forbidden', `${what}: ${printable(said.trim().slice(0, maxSaidChars), { lines: true })}`)
}

function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, text, { mode: 0o644 })
  renameSync(`${file}.new`, file)
}

function pairOf(line: string): [string, string][] {
  const at = line.indexOf('=')
  return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : []
}

/** The file with variables for the service of this user. */
export function variablesFile(root = process.getuid?.() === 0): string {
  return root ? '/etc/atrium.env' : join(serviceEnvironment().configFolder, 'atrium.env')
}

export function thisMachine(root = process.getuid?.() === 0): Machine {
  const { configFolder } = serviceEnvironment()
  return {
    root,
    booted: existsSync('/run/systemd/system'),
    units: root ? '/etc/systemd/system' : join(configFolder, 'systemd', 'user'),
    environmentFile: variablesFile(root),
    run: (file, args) =>
      new Promise((resolve) => {
        execFile(file, args, { timeout: commandMs, encoding: 'utf8' }, (error, stdout, stderr) => {
          resolve({ ok: !error, stdout, stderr: stderr || (error?.message ?? '') })
        })
      }),
    answers: async (home) => {
      // The home of a system unit belongs to its account, so root goes by the socket itself.
      const status = root
        ? callService(join(home, 'socket'), { method: 'GET', path: '/status', withinMs: statusMs })
        : findService(home)
      return (await status.catch(() => undefined)) !== undefined
    },
  }
}
