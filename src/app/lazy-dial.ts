// Dials that load their network modules with the first request.
import type { Config } from '#config.ts'
import type { Dial, StreamDial } from '#net/dial.ts'

/** For tools: resolves names with queries of its own over the network, so that a slow name server blocks nothing else. */
export function lazyDial(proxy: Config['proxy']): Dial {
  return lazily(async () => {
    const [{ createDial }, { resolveName }] = await Promise.all([import('#net/dial.ts'), import('#net/resolve.ts')])
    return createDial({ lookup: resolveName, proxy })
  })
}

/** For servers that the operator configured: resolves names as the machine does. */
export function systemDial(proxy: Config['proxy']): Dial {
  return lazily(async () => {
    const [{ createDial }, { lookup }] = await Promise.all([import('#net/dial.ts'), import('node:dns/promises')])
    return createDial({ lookup: (host) => lookup(host, { all: true }), proxy })
  })
}

/** The same, for answers that are streamed. */
export function systemStreamDial(proxy: Config['proxy']): StreamDial {
  let opening: Promise<StreamDial> | undefined
  return async (request, signal) => {
    opening ??= Promise.all([import('#net/dial.ts'), import('node:dns/promises')]).then(
      ([{ createStreamDial }, { lookup }]) =>
        createStreamDial({ lookup: (host) => lookup(host, { all: true }), proxy }),
    )
    return (await opening)(request, signal)
  }
}

function lazily(open: () => Promise<Dial>): Dial {
  let opening: Promise<Dial> | undefined
  return async (request, bounds) => {
    opening ??= open()
    return (await opening)(request, bounds)
  }
}
