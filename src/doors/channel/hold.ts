// The hold of one process on a channel: only the process that has it reads updates and writes to chats.
import type { Door } from '#core/doors.ts'
import type { LeaseStore } from '#core/lease.ts'

/** How long a hold lasts without a renewal. */
const holdMs = 12_000
/** Time between renewals, and between the attempts of processes that wait. */
export const renewMs = 3_000

export interface Hold {
  /** Takes or keeps the hold; false if another process has it. */
  renew(): Promise<boolean>
  /** True while no other process can have it. By the clock of this process: it may have stood still. */
  readonly held: boolean
  leave(): Promise<void>
}

export type HoldParts = {
  readonly leases: Pick<LeaseStore, 'takeDuty' | 'leaveDuty'>
  readonly channel: Door
  readonly owner: string
  readonly now?: () => number
}

export function createHold({ leases, channel, owner, now = () => performance.now() }: HoldParts): Hold {
  const duty = `channel ${channel}` as const
  let until = -Infinity
  return {
    async renew() {
      // From before the request: the database counts from a later moment.
      const asked = now()
      const held = await leases.takeDuty(duty, owner, holdMs)
      until = held ? asked + holdMs : -Infinity
      return held
    },
    get held() {
      return now() < until
    },
    async leave() {
      until = -Infinity
      await leases.leaveDuty(duty, owner)
    },
  }
}
