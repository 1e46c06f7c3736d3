// Posts to an address that a user gave, with an address check at each redirect. The body goes along with a redirect: an
// answer to a GET would say nothing about whether it arrived.
import { withDeadline } from '#lib/deadline.ts'
import { originOf, showTarget } from '#safety/urls.ts'
import type { Dial, Outgoing } from './dial.ts'
import { parseTarget } from './fetch.ts'
import { guardedDial } from './guarded-dial.ts'

const maxRedirects = 5
const maxAnswerBytes = 1024 * 1024
const timeoutMs = 30_000
const redirects = [301, 302, 307, 308]
/** Headers that stay at the first origin. */
const ownHeaders = ['authorization']

export type PostRequest = {
  readonly url: string
  /** Header names are lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

export type Posted =
  | { readonly type: 'answer'; readonly status: number; readonly headers: ReadonlyMap<string, string> }
  | { readonly type: 'fault'; readonly message: string; readonly blocked: boolean; readonly sent: boolean }

export type PostParts = { readonly dial: Dial; readonly privateHosts: readonly string[] }

/** Failures are returned, not thrown. */
export function createPost(parts: PostParts): (request: PostRequest, signal: AbortSignal) => Promise<Posted> {
  const dial = guardedDial(parts.dial, parts.privateHosts)

  async function follow(first: Outgoing, signal: AbortSignal): Promise<Posted> {
    let request = first
    for (let hops = 0; ; hops++) {
      const dialled = await dial(request, { maxBytes: maxAnswerBytes, signal })
      if (dialled.type === 'fault') {
        const { code, message, sent } = dialled.fault
        return { type: 'fault', message, blocked: code === 'blocked', sent }
      }
      const { status, headers } = dialled
      const location = redirects.includes(status) ? headers.get('location') : undefined
      if (location === undefined) return { type: 'answer', status, headers }
      if (hops === maxRedirects) return refused(`more than ${maxRedirects} redirects`)
      const url = URL.parse(location, showTarget(request.target))
      const target = url ? parseTarget(url.href) : 'its URL cannot be read'
      if (typeof target === 'string') return refused(`a redirect was not followed: ${target}`)
      const moved = originOf(target) !== originOf(request.target)
      const kept = [...request.headers].filter(([name]) => !moved || !ownHeaders.includes(name))
      request = { ...request, target, headers: new Map(kept) }
    }
  }

  return ({ url, headers, body }, signal) => {
    const target = parseTarget(url)
    if (typeof target === 'string') return Promise.resolve(refused(target))
    return withDeadline(timeoutMs, signal, (either) => follow({ method: 'POST', target, headers, body }, either))
  }
}

function refused(message: string): Posted {
  return { type: 'fault', message, blocked: true, sent: false }
}
