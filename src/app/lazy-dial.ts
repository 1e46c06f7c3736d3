// Dials that load TLS and its kin with their first request.
import type { Config } from '#config.ts'
import type { Dial } from '#net/dial.ts'

/** For tools: names are asked for over the network, so that a stranger's name server holds nothing up. */
export function lazyDial(proxy: Config['proxy']): Dial {
  return lazily(async () => {
    const [{ createDial }, { resolveName }] = await Promise.all([import('#net/dial.ts'), import('#net/resolve.ts')])
    return createDial({ lookup: resolveName, proxy })
  })
}

/** For servers that the operator has named: as the machine itself resolves them. */
export function systemDial(proxy: Config['proxy']): Dial {
  return lazily(async () => {
    const [{ createDial }, { lookup }] = await Promise.all([import('#net/dial.ts'), import('node:dns/promises')])
    return createDial({ lookup: (host) => lookup(host, { all: true }), proxy })
  })
}

function lazily(open: () => Promise<Dial>): Dial {
  let opening: Promise<Dial> | undefined
  return async (request, bounds) => {
    opening ??= open()
    return (await opening)(request, bounds)
  }
}
