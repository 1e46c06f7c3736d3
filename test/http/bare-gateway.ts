// A gateway without doors, for tests of the server alone.
import { createOrigins } from '#http/origin.ts'
import { createGateway, type GatewayParts } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { operatorToken } from '../doors/web/house.ts'

export async function bareGateway(options: Partial<Pick<GatewayParts, 'trustProxy' | 'refusal' | 'log'>> = {}) {
  return createGateway({
    auth: {
      operatorTokens: [operatorToken],
      accounts: { findByToken: () => Promise.resolve(undefined) },
      sessions: { find: () => Promise.resolve(undefined) },
    },
    origins: createOrigins({ allowed: [], names: [], trustProxy: false }),
    health: { ping: () => Promise.resolve(), draining: () => false },
    chatLimit: { take: () => Promise.resolve() },
    chatsPerMinute: 0,
    writeLimit: { take: () => {} },
    log: silentLog,
    ...options,
  })
}
