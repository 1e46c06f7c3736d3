// Checks a token with the validation request of the tool's capability file, sent with the tool's own rights.
import type { LimitStore } from '#core/store.ts'
import type { Dial } from '#net/dial.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { createEgress } from '#sandbox/egress/egress.ts'
import type { CheckToken } from './tool-access.ts'

export type CheckParts = {
  readonly limits: LimitStore
  readonly scan: () => LeakScan
  readonly dial: Dial
  readonly now: () => number
}

const headers = JSON.stringify({ accept: 'application/json', 'user-agent': 'atrium' })

export function createTokenCheck({ limits, scan, dial, now }: CheckParts): CheckToken {
  return async ({ name: tool, capabilities }, token) => {
    const { auth } = capabilities
    if (!auth?.validation) return undefined
    const { url, method, status } = auth.validation
    const secret = (name: string): Promise<string | undefined> =>
      Promise.resolve(name === auth.secretName ? token : undefined)
    const egress = createEgress({ tool, capabilities, secret, limits, scan, now, dial })
    const answer = await egress.request({ method, url, headers }, new AbortController().signal)
    if (answer.type === 'fault') return { fault: answer.fault.message, sure: false }
    if (answer.status === status) return undefined
    // Only these two are about the token. Any other status may be a temporary problem of the server.
    const sure = answer.status === 401 || answer.status === 403
    return { fault: `${new URL(url).host} answered ${answer.status}`, sure }
  }
}
