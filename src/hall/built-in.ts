// The tools that come with the service, as its configuration has them.
import type { Config } from '#config.ts'
import type { ToolSource } from '#core/tool.ts'
import type { Dial } from '#net/dial.ts'
import { createFetch } from '#net/fetch.ts'
import { createBuiltInTools } from '#tools/source.ts'

export function openBuiltInTools({ proxy, privateHosts }: Config): ToolSource {
  return createBuiltInTools({ now: Date.now, fetch: createFetch({ dial: lazyDial(proxy), privateHosts }) })
}

/** TLS and its kin are loaded by the first request. */
function lazyDial(proxy: Config['proxy']): Dial {
  let opening: Promise<Dial> | undefined
  const open = async (): Promise<Dial> => {
    const [{ createDial }, { resolveName }] = await Promise.all([import('#net/dial.ts'), import('#net/resolve.ts')])
    return createDial({ lookup: resolveName, proxy })
  }
  return async (request, bounds) => {
    opening ??= open()
    return (await opening)(request, bounds)
  }
}
