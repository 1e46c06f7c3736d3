// Components that must not be installed, with the fault of each.
import { parse } from '@bytecodealliance/jco-transpile/wasm-tools'
import { component, spoiled } from '../fixtures.ts'

const evil = `x'];globalThis.pwned=1;//`
export const instance = (name: string): string => `(core instance $i_${name} (instantiate $${name}))`
export const badComponents: readonly [what: string, make: () => Promise<Uint8Array>, code: string, message: RegExp][] =
  [
    [
      'an export name that is code',
      () => spoiled(`(core module $e (func (export "${evil}")))${instance('e')}`),
      'name_refused',
      /name that is not allowed/,
    ],
    [
      'an import name that is code',
      () =>
        spoiled(`(core module $e (func (export "${evil}")))${instance('e')}
        (core module $f (import "m" "${evil}" (func)))(core instance (instantiate $f (with "m" (instance $i_e))))`),
      'name_refused',
      /name that is not allowed/,
    ],
    [
      'an import from a module whose name is code',
      () =>
        spoiled(`(core module $e (func (export "a")))${instance('e')}
        (core module $f (import "${evil}" "a" (func)))(core instance (instantiate $f (with "${evil}" (instance $i_e))))`),
      'name_refused',
      /name that is not allowed/,
    ],
    ...['`', '\\\\', '\\n', '\\"', '\\u{2028}', "'", '(', '{', ';', 'ä']
      .map(
        (character) =>
          [
            `an export name with ${character}`,
            () => spoiled(`(core module $e (func (export "a${character}b")))${instance('e')}`),
            'name_refused',
            /name that is not allowed/,
          ] as const,
      )
      .map((each) => [...each] as [string, () => Promise<Uint8Array>, string, RegExp]),
    [
      'an export named __proto__',
      () => spoiled(`(core module $e (func (export "__proto__")))${instance('e')}`),
      'name_refused',
      /name that is not allowed/,
    ],
    [
      'sockets',
      () => spoiled('(import "wasi:sockets/tcp@0.2.0" (instance))'),
      'import_refused',
      /wasi:sockets\/tcp@0\.2\.0/,
    ],
    [
      'an http client of its own',
      () => spoiled('(import "wasi:http/outgoing-handler@0.2.3" (instance))'),
      'import_refused',
      /wasi:http\/outgoing-handler/,
    ],
    [
      'an unknown interface',
      () => spoiled('(import "evil:corp/backdoor@1.0.0" (instance))'),
      'import_refused',
      /evil:corp\/backdoor@1\.0\.0/,
    ],
    ['a plain function', () => spoiled('(import "open-door" (func))'), 'import_refused', /open-door/],
    [
      'a module from elsewhere',
      () => spoiled('(import "url=<https://evil.example/a>" (component))'),
      'import_refused',
      /url=|url\?/,
    ],
    [
      'the host in another version',
      () => spoiled('(import "near:agent/host@0.9.0" (instance))'),
      'import_refused',
      /near:agent\/host@0\.9\.0/,
    ],
    [
      'an interface in two versions',
      () => spoiled('(import "wasi:io/error@0.2.0" (instance)) (import "wasi:io/error@0.2.3" (instance))'),
      'import_refused',
      /two versions/,
    ],
    [
      'forty instances',
      () => spoiled(`(core module $e (memory 1))${'(core instance (instantiate $e))'.repeat(40)}`),
      'too_many_instances',
      /at most 32/,
    ],
    [
      'five memories',
      () => spoiled(`(core module $e (memory 1))${'(core instance (instantiate $e))'.repeat(5)}`),
      'too_many_instances',
      /6 memories/,
    ],
    [
      'instances in nested components',
      () =>
        spoiled(`(component $n (core module $e (memory 1))${'(core instance (instantiate $e))'.repeat(6)})
        ${'(instance (instantiate $n))'.repeat(6)}`),
      'too_many_instances',
      /at most/,
    ],
    [
      'many tables',
      () => spoiled(`(core module $e ${'(table 1 funcref)'.repeat(9)})${'(core instance (instantiate $e))'.repeat(2)}`),
      'too_many_instances',
      /tables/,
    ],
    [
      'a memory that starts too large',
      () => component({ memory: '(memory (export "memory") 1025)' }),
      'memory_refused',
      /1025 pages/,
    ],
    [
      'memories that start too large together',
      () => spoiled(`(core module $e (memory 600))${instance('e')}(core instance (instantiate $e))`),
      'memory_refused',
      /pages/,
    ],
    [
      'a table that starts too large',
      () => spoiled(`(core module $e (table 200000 funcref))${instance('e')}`),
      'memory_refused',
      /200000 entries/,
    ],
    ['a 64-bit memory', () => spoiled(`(core module $e (memory i64 1))${instance('e')}`), 'memory_refused', /64-bit/],
    [
      'a shared memory',
      () => spoiled(`(core module $e (memory 1 2 shared))${instance('e')}`),
      'memory_refused',
      /shared/,
    ],
    [
      'a core module',
      () => parse('(module (memory 1))'),
      'not_a_component',
      /core module, .*: make one of it with `atrium tool build/,
    ],
    ['an empty component', () => parse('(component)'), 'interface_missing', /must export near:agent\/tool/],
    ['text', () => Promise.resolve(Buffer.from('#!/bin/sh\necho hello world')), 'not_a_component', /not WebAssembly/],
    ['nothing', () => Promise.resolve(new Uint8Array()), 'not_a_component', /not WebAssembly/],
    [
      'another layer',
      () => Promise.resolve(Uint8Array.from([0, 0x61, 0x73, 0x6d, 0x0e, 0, 1, 0])),
      'not_a_component',
      /unknown version/,
    ],
    ['17 MiB', () => Promise.resolve(new Uint8Array(17 * 1_024 * 1_024)), 'component_too_large', /at most 16777216/],
  ]
