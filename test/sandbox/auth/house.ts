// A whole Atrium with a tool that signs in at the issuer of the tests: the real service, the real sandbox, a scripted model.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openIssuer, type Issuer, clientSecret } from './issuer.ts'
import { atrium } from '../../atrium.ts'
import { newHome } from '../../new-home.ts'
import { component } from '../fixtures.ts'
import { scriptedEnv } from '../../scripted-env.ts'

/** Asks for `things`, whatever the parameters; the answer of the server is the output, and so is its error. */
async function thingsComponent(url: string): Promise<Uint8Array> {
  const address = `${url}/things`
  return component({
    fields: `(data (i32.const 5000) "GET${address}{}")`,
    execute: `(call $http (i32.const 5000) (i32.const 3) (i32.const 5003) (i32.const ${address.length})
      (i32.const ${5003 + address.length}) (i32.const 2)
      (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 2048))
      (call $answer (i32.const 16) (i32.const 4))`,
  })
}

export type AuthHouse = {
  readonly home: string
  readonly issuer: Issuer
  readonly env: Readonly<Record<string, string>>
}

/**
 * A home, or with `shared` whatever its variables lead to, where the tool `things` is installed. It swallows every error
 * of its requests and answers "ok".
 */
export async function openAuthHome(
  t: { after(end: () => unknown): void },
  auth: object = {},
  shared: Readonly<Record<string, string>> = {},
): Promise<AuthHouse> {
  const issuer = await openIssuer()
  t.after(() => issuer.close())
  const home = newHome()
  t.after(home.remove)
  await installThings(home.path, issuer, { auth, env: shared })
  const replies = [
    { when: 'things', calls: [{ name: 'things', args: {} }] },
    { afterTool: 'things', text: 'They said: {{result}}' },
  ]
  const env = { ...scriptedEnv(home.path, replies), THINGS_CLIENT_SECRET: clientSecret }
  return { home: home.path, issuer, env }
}

/** Installs the tool `things` in a home: it signs in at the issuer, with `THINGS_CLIENT_SECRET` of the environment. */
export async function installThings(
  home: string,
  issuer: Issuer,
  { auth = {}, env = {} }: { readonly auth?: object; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const wasm = join(home, 'things.wasm')
  writeFileSync(wasm, await thingsComponent(issuer.url))
  const capabilities = join(home, 'things.json')
  writeFileSync(capabilities, JSON.stringify(issuer.capabilities(auth)))
  const args = ['tool', 'install', wasm, '--capabilities', capabilities, '--name', 'things']
  const { code, stderr } = await atrium(home, args, { env: { ...env } })
  if (code !== 0) throw new Error(stderr)
}
