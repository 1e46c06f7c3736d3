// Parts that the gateway passes to its doors when they are loaded.
import type { Config } from '#config.ts'
import type { App } from '#app.ts'
import type { ChatLimit, WriteLimit } from '#http/caller.ts'
import type { Oidc } from '#http/oidc.ts'
import type { Origins } from '#http/origin.ts'
import type { Gateway } from '#http/server.ts'
import type { Sessions } from '#http/session.ts'
import type { Log } from '#lib/log.ts'
import type { About } from '#turns/service-status.ts'

export type DoorParts = {
  readonly app: App
  /** The configuration of the start: doors do not follow later changes. */
  readonly config: Config
  readonly gateway: Gateway
  readonly about: About
  readonly sessions: Sessions
  readonly origins: Origins
  readonly chatLimit: ChatLimit
  readonly writeLimit: WriteLimit
  readonly oidc?: Oidc
  readonly log: Log
}
