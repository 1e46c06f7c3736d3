// `atrium service`: the unit for each kind of machine, and what is asked of systemd.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { installService, type Machine, serviceStatus, uninstallService } from '#commands/service-command.ts'
import { isPrivate, type UnitParts, unitText } from '#commands/service-unit.ts'
import { atrium } from '../atrium.ts'
import { newHome } from '../new-home.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-service-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const user: UnitParts = {
  scope: 'user',
  launcher: '/home/ann/my tools/100%/bin/atrium',
  home: '/home/ann/.atrium',
  path: ['/home/ann/.nvm/bin'],
  program: [],
  environmentFile: '/home/ann/.config/atrium.env',
  namespaces: true,
}
const system: UnitParts = {
  scope: 'system',
  launcher: '/opt/atrium/bin/atrium',
  home: '/var/lib/atrium',
  account: 'atrium',
  path: ['/usr/local/bin'],
  program: [],
  environmentFile: '/etc/atrium.env',
  namespaces: true,
}

/** The values of a setting in a unit. */
function valuesOf(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
}

test('a unit of a user starts the launcher on the home, with every odd letter of a path kept', () => {
  const text = unitText(user)
  assert.deepEqual(valuesOf(text, 'ExecStart'), ['"/home/ann/my tools/100%%/bin/atrium" serve'])
  assert.match(text, /^Environment="ATRIUM_HOME=\/home\/ann\/\.atrium" "PATH=\/home\/ann\/\.nvm\/bin:\/usr/m)
  assert.deepEqual(valuesOf(text, 'WantedBy'), ['default.target'])
  assert.deepEqual(valuesOf(text, 'User'), [])
  assert.deepEqual(valuesOf(text, 'ReadWritePaths'), ['%h /tmp "/home/ann/.atrium"'])
  assert.deepEqual(valuesOf(unitText({ ...user, namespaces: false }), 'ProtectSystem'), [])
})

test('a unit of the machine has an account, no capabilities, and writes to its home alone', () => {
  const text = unitText(system)
  assert.deepEqual(valuesOf(text, 'User'), ['atrium'])
  assert.deepEqual(valuesOf(text, 'StateDirectory'), ['atrium'])
  assert.deepEqual(valuesOf(text, 'CapabilityBoundingSet'), [''])
  assert.deepEqual(valuesOf(text, 'ProtectSystem'), ['strict'])
  assert.deepEqual(valuesOf(text, 'ProtectHome'), ['yes'])
  assert.deepEqual(valuesOf(text, 'ReadWritePaths'), [])
  const elsewhere = unitText({
    ...system,
    home: '/srv/a b$',
    environmentFile: '/etc/a b$/50%',
    workspace: '/home/work',
    program: ['/root/atrium'],
  })
  assert.deepEqual(valuesOf(elsewhere, 'ReadWritePaths'), ['"/srv/a b$"'])
  assert.match(elsewhere, /^Environment="ATRIUM_HOME=\/srv\/a b\$" /m)
  assert.deepEqual(valuesOf(elsewhere, 'EnvironmentFile'), ['-/etc/a b$/50%%'])
  assert.deepEqual(valuesOf(elsewhere, 'BindPaths'), ['"/home/work"'])
  assert.deepEqual(valuesOf(elsewhere, 'ProtectHome'), ['tmpfs'])
  assert.deepEqual(valuesOf(elsewhere, 'BindReadOnlyPaths'), ['"/root/atrium"'])
  for (const given of [{ home: '/home/ann/.atrium' }, { workspace: '/root/work' }]) {
    const [folder] = Object.values(given)
    const bound = unitText({ ...system, ...given })
    assert.deepEqual(valuesOf(bound, 'BindPaths'), [`"${folder}"`])
    assert.deepEqual(valuesOf(bound, 'ProtectHome'), ['tmpfs'], 'with yes, systemd cannot bind it')
  }
  assert.deepEqual(['/home/ann', '/root', '/rooted', '/opt/home'].map(isPrivate), [true, true, false, false])
})

test('no unit has an option that the tools of the product do not work under', () => {
  for (const text of [unitText(user), unitText(system)]) {
    for (const name of ['MemoryDenyWriteExecute', 'RestrictNamespaces', 'ProtectProc', 'ProcSubset', 'PrivateNetwork'])
      assert.deepEqual(valuesOf(text, name), [])
    assert.deepEqual(valuesOf(text, 'ProtectKernelTunables').concat(valuesOf(text, 'ProtectKernelLogs')), [])
    assert.deepEqual(valuesOf(text, 'NoNewPrivileges'), ['yes'])
    assert.match(valuesOf(text, 'SystemCallFilter')[0] ?? '', /@system-service @mount/)
  }
})

test('systemd takes both units, where it can be asked', (context) => {
  try {
    execFileSync('systemd-analyze', ['--version'])
  } catch {
    return context.skip('systemd-analyze is not installed')
  }
  // verify wants a program and an account that exist.
  const launcher = join(folder, 'a $b%', 'true')
  mkdirSync(dirname(launcher))
  symlinkSync('/bin/true', launcher)
  for (const [name, parts] of Object.entries({ user, system })) {
    const file = join(folder, `atrium-${name}.service`)
    writeFileSync(file, unitText({ ...parts, launcher, account: 'root' }))
    // What it does not know it ignores, with a warning.
    const said = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
    assert.deepEqual([said.status, said.stdout, said.stderr], [0, '', ''])
  }
})

/** A machine that remembers what it was asked. */
function fakeMachine(over: Partial<Machine> = {}): Machine & { readonly asked: string[] } {
  const asked: string[] = []
  let started = false
  return {
    root: false,
    booted: true,
    units: mkdtempSync(join(folder, 'units-')),
    environmentFile: '/nowhere/atrium.env',
    run(file, args) {
      const line = [file, ...args]
        .join(' ')
        .replace(folder, '')
        .replace(tmpdir(), '')
        .replace(/\/atrium-unit-\w+/, 'TEMP')
      asked.push(line)
      if (/ restart /.test(line)) started = true
      const missing = / is-active /.test(line) && !started
      return Promise.resolve({ ok: !missing, stdout: '', stderr: missing ? 'inactive' : '' })
    },
    answers: () => Promise.resolve(started),
    ...over,
    asked,
  }
}

test('a user installs, and the service starts with the machine; removing it leaves nothing but the home', async () => {
  const machine = fakeMachine()
  const file = join(machine.units, 'atrium.service')
  await installService({}, machine)
  assert.deepEqual(machine.asked, [
    'systemd-run --user --wait --collect --quiet --property=ProtectSystem=strict true',
    'systemctl --user is-active --quiet atrium.service',
    'systemd-analyze --user verify TEMP/atrium.service',
    'systemctl --user daemon-reload',
    'systemctl --user enable atrium.service',
    'systemctl --user restart atrium.service',
    'loginctl enable-linger',
  ])
  assert.match(readFileSync(file, 'utf8'), /^WantedBy=default\.target$/m)
  machine.asked.length = 0
  await uninstallService(machine)
  assert(!existsSync(file))
  assert.deepEqual(machine.asked, ['systemctl --user disable --now atrium.service', 'systemctl --user daemon-reload'])
  await assert.rejects(uninstallService(machine), { code: 'not_found' })
})

test('root installs for the machine, under an account of its own', async () => {
  const machine = fakeMachine({ root: true })
  const none = { ok: false, stdout: '', stderr: 'no such user' }
  await installService(
    {},
    { ...machine, run: (file, args) => (file === 'id' ? Promise.resolve(none) : machine.run(file, args)) },
  )
  assert.match(machine.asked.join('\n'), /^useradd --system .* atrium$/m)
  assert(machine.asked.includes('systemctl restart atrium.service'))
  assert(!machine.asked.some((line) => /--user\b(?!-group)/.test(line)))
  assert.match(readFileSync(join(machine.units, 'atrium.service'), 'utf8'), /^User=atrium$/m)
})

test('what systemd refuses, and a home that is in use, leave no unit behind', async () => {
  const refusing = fakeMachine()
  const run: Machine['run'] = (file, args) =>
    file === 'systemd-analyze'
      ? Promise.resolve({ ok: false, stdout: '', stderr: 'Unknown \u001b[2J key' })
      : refusing.run(file, args)
  await assert.rejects(installService({}, { ...refusing, run }), /does not take the unit: Unknown \\u\{1b\}\[2J key/)
  assert(!existsSync(join(refusing.units, 'atrium.service')))
  const busy = fakeMachine({ answers: () => Promise.resolve(true) })
  await assert.rejects(installService({}, busy), { code: 'home_locked' })
  assert(!existsSync(join(busy.units, 'atrium.service')))
})

test('a service that does not come up is told with the place of its log', async () => {
  const machine = fakeMachine({ answers: () => Promise.resolve(false) })
  const run: Machine['run'] = async (file, args) =>
    args.includes('is-active') ? { ok: false, stdout: '', stderr: 'failed' } : machine.run(file, args)
  await assert.rejects(installService({}, { ...machine, run }), /does not answer: see journalctl --user -u atrium/)
})

test('the state is what systemd says; without a unit the way to one is shown', async () => {
  const machine = fakeMachine()
  await serviceStatus({ json: true }, machine)
  assert.equal(process.exitCode, 1)
  process.exitCode = undefined
})

test('a machine without systemd is not offered a unit, but the way to run the service', async (t) => {
  const machine = fakeMachine({ booted: false })
  const written = t.mock.method(process.stdout, 'write', () => true)
  await serviceStatus({}, machine)
  writeFileSync(join(machine.units, 'atrium.service'), '')
  await serviceStatus({}, machine)
  process.exitCode = undefined
  const [none, installed] = written.mock.calls.map(({ arguments: [text] }) => String(text))
  written.mock.restore()
  const way = String.raw`This machine was not booted with systemd\. .* yourself: {2}\S*atrium serve\n$`
  assert.match(none ?? '', new RegExp(String.raw`^No unit is installed\. ${way}`))
  assert.match(installed ?? '', new RegExp(String.raw`/atrium\.service is installed\. ${way}`))
  assert.deepEqual(machine.asked, [])
})

test('the command prints the unit and nothing else', async () => {
  const home = newHome()
  const { code, stdout } = await atrium(home.path, ['service', 'install', '--print'])
  home.remove()
  assert.equal(code, 0)
  assert.match(stdout, /^\[Unit\]\n[^]*^ExecStart=".*\/bin\/atrium" serve$[^]*WantedBy=[a-z-]+\.target\n$/m)
})
