// A sandboxed tool that misbehaves: it traps, floods, grows, loops, and asks for an address that it was not granted.
import { componentHash } from '#sandbox/build/prepare.ts'
import { createToolStore } from '#store/tool-store.ts'
import { answer, component, ok } from '../sandbox/fixtures.ts'
import { copyCode } from '../sandbox/tool-cache.ts'
import { hostileTool, type Way, ways } from './hostile-calls.ts'
import { openPlace, type Place } from './stored.ts'

const counted = (times: number, body: string): string => `(local $n i32)
  (loop $l
    ${body}
    (global.set $top (i32.const 65536))
    (local.set $n (i32.add (local.get $n) (i32.const 1)))
    (br_if $l (i32.lt_u (local.get $n) (i32.const ${times}))))`
const request = `(call $http (i32.const 900) (i32.const 3) (global.get $url) (global.get $urlLength) (i32.const 921) (i32.const 2)
  (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 2048))`

/** Function bodies that leave the address of a response. */
const bodies: Readonly<Record<Way, string>> = {
  good: ok,
  escape: `${request} ${ok}`,
  flood: answer(65_536, 1_048_577),
  chatter: `${counted(5_000, '(call $log (i32.const 2) (i32.const 16) (i32.const 4))')} ${ok}`,
  trap: 'unreachable',
  grow: `(loop $l (br_if $l (i32.ge_s (memory.grow (i32.const 16)) (i32.const 0)))) ${ok}`,
  loop: `(loop $l (br $l)) ${ok}`,
}

/** Installs it for all users, in a database that has its tables. */
export async function installHostileComponent(place: Place): Promise<void> {
  const code = await hostileComponent()
  const allowlist = [{ host: 'a.example', path_prefix: '/', methods: ['GET'] }]
  const capabilities = JSON.stringify({ version: '1.0.0', wit_version: '0.3.0', http: { allowlist } })
  const about = { description: 'A tool that misbehaves.', schema: '{"type":"object"}', capabilities }
  const sql = openPlace(place)
  try {
    const tools = createToolStore({ sql, now: Date.now })
    await tools.put({ name: hostileTool, sha256: componentHash(code), ...about }, code)
  } finally {
    await sql.close()
  }
}

/** Its code, made before: a home that has to make it takes seconds. */
export async function copyHostileCode(home: string): Promise<void> {
  await copyCode(await hostileComponent(), home)
}

/** It reads `{"way":"a","url":"http://…"}`: the letter is at 8, the address begins at 18. */
function hostileComponent(): Promise<Uint8Array> {
  const functions = ways.map((way) => `(func $${way} (result i32) ${bodies[way]})`)
  const choice = ways.map((way, at) => {
    const chosen = `(i32.eq (i32.load8_u offset=8 (local.get $params)) (i32.const ${97 + at}))`
    return `(if ${chosen} (then (return (call $${way}))))`
  })
  return component({
    memory: '(memory (export "memory") 40)',
    fields: `(global $url (mut i32) (i32.const 0)) (global $urlLength (mut i32) (i32.const 0)) ${functions.join('\n')}`,
    execute: `(global.set $url (i32.add (local.get $params) (i32.const 18)))
      (global.set $urlLength (i32.sub (local.get $length) (i32.const 20)))
      ${choice.join('\n')} ${ok}`,
  })
}
