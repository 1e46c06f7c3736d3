// Sign-in through an OpenID issuer. Without a configured issuer, none of its modules are loaded.
import type { Config } from '#config.ts'
import type { Store } from '#core/store.ts'
import type { Oidc } from '#http/oidc.ts'
import type { Log } from '#lib/log.ts'
import { systemDial } from './lazy-dial.ts'

type Parts = { readonly config: Config; readonly store: Pick<Store, 'identities'> }

export async function openOidc({ config, store }: Parts, log: Log): Promise<Oidc | undefined> {
  const { oidc, proxy } = config
  if (!oidc) return undefined
  const [{ createIssuer }, { createOidc }, { createPlainFetch }] = await Promise.all([
    import('#http/oidc-issuer.ts'),
    import('#http/oidc.ts'),
    import('#net/plain-fetch.ts'),
  ])
  const issuer = createIssuer({ ...oidc, fetch: createPlainFetch(systemDial(proxy)) })
  return createOidc({ ...oidc, issuer, identities: store.identities, log })
}
