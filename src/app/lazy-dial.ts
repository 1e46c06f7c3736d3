// Dials that load their network modules with the first request.
import type { Config } from '#config.ts'
import { loadOnce } from '#lib/load-once.ts'
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
  const open = loadOnce(async () => {
    const [{ createStreamDial }, { lookup }] = await Promise.all([import('#net/dial.ts'), import('node:dns/promises')])
    return createStreamDial({ lookup: (host) => lookup(host, { all: true }), proxy })
  })
  return async (request, signal) => (await open())(request, signal)
}

function lazily(load: () => Promise<Dial>): Dial {
  const open = loadOnce(load)
  return async (request, bounds) => (await open())(request, bounds)
}
