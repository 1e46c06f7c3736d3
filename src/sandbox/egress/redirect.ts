// The request that follows a redirect of a guest's request.
import { judgeUrl, originOf, showTarget, type Target } from '#safety/urls.ts'
import type { Outgoing } from '#net/dial.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { requestFault, type RequestFault } from '#sandbox/sandbox-fault.ts'

/** Headers of the guest that a redirect to another origin drops. */
const privateHeaders = ['authorization', 'cookie', 'x-api-key']

type Redirect = { readonly status: number; readonly location: string; readonly echoes: readonly string[] }

/** The request that follows a redirect, checked like a first one. Another origin gets none of the `privateHeaders`. */
export function redirected(
  request: Outgoing,
  { status, location, echoes }: Redirect,
  allowlist: Capabilities['allowlist'],
): Outgoing | RequestFault {
  if (echoes.some((echo) => location.includes(echo)))
    return requestFault('blocked', 'a redirect carries a credential', true)
  const keeps = status === 307 || status === 308 || request.method === 'GET' || request.method === 'HEAD'
  const method = keeps ? request.method : 'GET'
  const verdict = judgeUrl(method, absolute(request.target, location), allowlist)
  if (verdict.type === 'blocked') return requestFault('blocked', `a redirect was not followed: ${verdict.reason}`, true)
  const foreign = originOf(verdict.target) !== originOf(request.target)
  const dropped = [...(foreign ? privateHeaders : []), ...(keeps ? [] : ['content-type'])]
  const headers = new Map([...request.headers].filter(([name]) => !dropped.includes(name)))
  const next = { method, target: verdict.target, headers }
  return keeps && request.body ? { ...next, body: request.body } : next
}

/** A Location header as a full URL. Dot segments are not resolved: `judgeUrl` refuses them. */
function absolute(from: Target, location: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return location
  if (location.startsWith('//')) return `${from.scheme}:${location}`
  const base = showTarget({ ...from, path: '', query: '' })
  if (location.startsWith('/')) return `${base}${location}`
  if (location.startsWith('?')) return `${base}${from.path}${location}`
  return `${base}${from.path.slice(0, from.path.lastIndexOf('/') + 1)}${location}`
}
