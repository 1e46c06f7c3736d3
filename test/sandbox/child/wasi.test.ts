// WASI that gives nothing away: no environment, arguments, files or terminal; a clock, randomness and a log.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wasiInterfaces } from '#sandbox/package/component.ts'
import { denyAllWasi } from '#sandbox/child/wasi.ts'

const printed: [level: string, text: string][] = []
const wasi = denyAllWasi((level, text) => printed.push([level, text]))

function call(from: string, name: string, ...args: unknown[]): unknown {
  const found = wasi[from]?.[name]
  assert(typeof found === 'function', `${from}#${name}`)
  return Reflect.apply(found, undefined, args)
}

function method(target: unknown, name: string, ...args: unknown[]): unknown {
  const found: unknown = Reflect.get(target as object, name)
  assert(typeof found === 'function', name)
  return Reflect.apply(found, target, args)
}

test('exactly the interfaces that a component may import are there', () => {
  assert.deepEqual(Object.keys(wasi).toSorted(), wasiInterfaces.toSorted())
})

test('there is no environment, no arguments, no folder, no terminal', () => {
  process.env['ATRIUM_TEST_SECRET'] = 'treasure'
  assert.deepEqual(call('wasi:cli/environment', 'getEnvironment'), [])
  delete process.env['ATRIUM_TEST_SECRET']
  assert.deepEqual(call('wasi:cli/environment', 'getArguments'), [])
  assert.equal(call('wasi:cli/environment', 'initialCwd'), undefined)
  assert.deepEqual(call('wasi:filesystem/preopens', 'getDirectories'), [])
  for (const name of ['Stdin', 'Stdout', 'Stderr']) {
    assert.equal(call(`wasi:cli/terminal-${name.toLowerCase()}`, `getTerminal${name}`), undefined)
  }
})

test('a descriptor, could a guest make one, refuses everything', () => {
  const Descriptor = wasi['wasi:filesystem/types']?.['Descriptor'] as new () => object
  const made = new Descriptor()
  for (const name of ['openAt', 'read', 'write', 'stat', 'readDirectory', 'unlinkFileAt', 'readlinkAt']) {
    assert.throws(
      () => method(made, name, 'x'),
      (thrown) => thrown === 'access',
      name,
    )
  }
})

test('standard input is at its end; what is printed goes to the log', () => {
  assert.throws(
    () => method(call('wasi:cli/stdin', 'getStdin'), 'read', 10n),
    (thrown) => Reflect.get(thrown as object, 'tag') === 'closed',
  )
  method(call('wasi:cli/stdout', 'getStdout'), 'write', Buffer.from('out'))
  method(call('wasi:cli/stderr', 'getStderr'), 'blockingWriteAndFlush', Buffer.from('err'))
  assert.deepEqual(printed, [
    ['info', 'out'],
    ['warn', 'err'],
  ])
})

test('leaving the process is a failure of the call', () => {
  assert.throws(() => call('wasi:cli/exit', 'exit', { tag: 'ok' }), /instead of answering/)
})

test('time passes and random numbers differ; a demand for too many is refused', () => {
  const before = call('wasi:clocks/monotonic-clock', 'now') as bigint
  const pollable = call('wasi:clocks/monotonic-clock', 'subscribeDuration', 2_000_000n)
  assert.deepEqual(call('wasi:io/poll', 'poll', [pollable]), Uint32Array.from([0]))
  assert((call('wasi:clocks/monotonic-clock', 'now') as bigint) - before >= 2_000_000n)
  assert.notEqual(call('wasi:random/random', 'getRandomU64'), call('wasi:random/random', 'getRandomU64'))
  assert.equal((call('wasi:random/random', 'getRandomBytes', 16n) as Uint8Array).length, 16)
  assert.throws(() => call('wasi:random/random', 'getRandomBytes', 1_000_000_000n), /random bytes at once/)
})
