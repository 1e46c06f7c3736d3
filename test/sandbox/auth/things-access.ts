// Sign-ins of a tool at the issuer of the tests, over a store in memory and a clock that the test moves.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import type { ToolAccess } from '#core/tool-access.ts'
import type { ToolSecrets } from '#sandbox/auth/tool-secrets.ts'
import { accessOver, seal } from './access-over.ts'
import { clientSecret, type Issuer } from './issuer.ts'
import { openMemoryStore } from '../../store/memory-store.ts'

export const ada = userId('ada')
export const redirectUri = 'http://127.0.0.1:4999/callback'
export const minuteMs = 60_000

type Rig = {
  readonly store: Store
  readonly access: ToolAccess
  readonly clock: { now: number }
  /** A process of its own over the same store. */
  secrets(): ToolSecrets
  value(user?: typeof ada, refused?: string): Promise<string | undefined>
  install(name: string, capabilities: object): Promise<void>
  signIn(owner?: typeof ada): Promise<void>
}

/** A tool `things` that signs in at an issuer. */
export async function openAccess(t: TestContext, at: Issuer, more: object = {}): Promise<Rig> {
  const clock = { now: Date.now() }
  const now = (): number => clock.now
  const store = openMemoryStore({ seal, now })
  t.after(() => store.close())
  const { access, secrets, toolSecrets, capabilitiesOf } = accessOver({
    store,
    now,
    env: { THINGS_CLIENT_SECRET: clientSecret },
  })
  const install = (name: string, capabilities: object): Promise<void> =>
    store.tools.put(
      { name, sha256: name, capabilities: JSON.stringify(capabilities), description: '', schema: '{}' },
      new Uint8Array(),
    )
  await install('things', at.capabilities(more))
  return {
    store,
    access,
    clock,
    secrets,
    install,
    async value(user = operator, refused) {
      const capabilities = await capabilitiesOf('things')
      assert.ok(capabilities)
      return toolSecrets.valueOf('things_token', { name: 'things', capabilities }, user, refused)
    },
    async signIn(owner = operator) {
      const { url, state } = await access.begin({ tool: 'things', owner }, { redirectUri })
      await access.finish(await at.signIn(url), { owner, state })
    },
  }
}

export async function takes(at: Issuer, token: string | undefined): Promise<boolean> {
  return (await fetch(`${at.url}/things`, { headers: { authorization: `Bearer ${token}` } })).status === 200
}
