// A dial that reaches private addresses only at hosts that the operator named. Redirects are not followed.
import { isAddressHost, isLoopbackHost, type Target } from '#safety/urls.ts'
import { addressKind, type AddressKind } from './addresses.ts'
import type { Dial } from './dial.ts'

/** True for a host among `hosts`, which are written as `name` or `name:port`; IPv6 addresses in brackets. */
export function isListedHost({ host, port }: Pick<Target, 'host' | 'port'>, hosts: readonly string[]): boolean {
  return hosts.includes(host) || hosts.includes(`${host}:${port}`)
}

type Blocked = { readonly message: string; readonly kind: AddressKind }

/** Why a literal address or loopback name may not be reached. Metadata services are refused even if they are listed. */
export function blockedHost(target: Target, privateHosts: readonly string[]): Blocked | undefined {
  const kind = privateKind(target)
  if (kind === undefined || (kind !== 'metadata' && isListedHost(target, privateHosts))) return undefined
  return { message: withWayOut(`${target.host} is a ${kind} address`, kind), kind }
}

/** The kind of a literal address or loopback name that is not public; undefined for other hosts. */
function privateKind({ host }: Pick<Target, 'host'>): AddressKind | undefined {
  if (isLoopbackHost(host)) return 'loopback'
  const kind = isAddressHost(host) ? addressKind(host.replaceAll(/[[\]]/g, '')) : 'public'
  return kind === 'public' ? undefined : kind
}

/** Why a host is blocked, and the way out. A metadata service has none: it is refused even if it is listed. */
export function withWayOut(why: string, kind: AddressKind | undefined): string {
  if (kind === 'metadata') return `${why}; metadata services are never reached`
  return `${why}; the operator can allow a private host in ATRIUM_PRIVATE_HOSTS`
}

/** `privateHosts` may be private. Every other host must be public. */
export function guardedDial(dial: Dial, privateHosts: readonly string[]): Dial {
  return (request, bounds) => {
    const refused = blockedHost(request.target, privateHosts)
    if (refused) return Promise.resolve({ type: 'fault', fault: { code: 'blocked', ...refused, sent: false } })
    return dial({ ...request, listed: isListedHost(request.target, privateHosts) }, bounds)
  }
}
