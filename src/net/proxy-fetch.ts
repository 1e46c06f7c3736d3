// A fetch through the proxy of the environment. It is the one of undici's package: Node's own has a version of its own,
// which may not take the package's agent.
import { proxyConnector } from './tunnel.ts'

const connectTimeoutMs = 10_000

export async function openProxyFetch(proxy: URL): Promise<typeof fetch> {
  const [undici, connect] = await Promise.all([import('undici'), proxyConnector(proxy, connectTimeoutMs)])
  const dispatcher = new undici.Agent({ allowH2: false, connect })
  const send = (input: string, init: object) => undici.fetch(input, { ...init, dispatcher })
  return send as unknown as typeof fetch
}
