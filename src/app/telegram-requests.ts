// Requests to the Bot API. Its server is the operator's choice: the rules about private addresses do not hold for it.
import type { Config } from '#config.ts'
import type { SendRequest } from '#doors/telegram/client.ts'
import { withDeadline } from '#lib/deadline.ts'
import { parseTarget } from '#net/fetch.ts'
import { systemDial } from './lazy-dial.ts'

export function telegramRequests(proxy: Config['proxy']): SendRequest {
  const dial = systemDial(proxy)
  return async ({ url, headers = new Map<string, string>(), body, ...guard }, { maxBytes, timeoutMs, signal }) => {
    const target = parseTarget(url)
    if (typeof target === 'string') return { fault: target, sent: false }
    const method = body ? 'POST' : 'GET'
    const request = { method, target, headers, listed: true, ...guard, ...(body && { body }) }
    const dialled = await withDeadline(timeoutMs, signal, (either) => dial(request, { maxBytes, signal: either }))
    if (dialled.type === 'fault') {
      const { code, message: fault, sent } = dialled.fault
      return { fault, sent, ...(code === 'response_too_large' && { tooLarge: true }) }
    }
    return { status: dialled.status, body: dialled.body }
  }
}
