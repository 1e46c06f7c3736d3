// Spend caps of turns. Money is reserved before a model call and settled when the step of the call is recorded.
import type { UserId } from '#core/ids.ts'
import type { Lease } from '#core/lease.ts'
import type { TurnStore } from '#core/turn-store.ts'
import type { UsageStore } from '#core/usage.ts'
import type { Turn, TurnError } from '#core/turn.ts'
import { amountWords } from '#core/words.ts'

/** In USD; absent means no cap. */
export type Caps = { readonly perTurn?: number; readonly perDay?: number }

/** The turn's cost so far, and the likely cost of its next model call, in USD. */
export type NextCall = { readonly spent: number; readonly next: number }

export interface Spend {
  /**
   * Reserves the money for a call; recording the next step releases it. Returns an error when a cap refuses the call.
   * A call without a known price reserves nothing, and is refused once a cap is reached.
   */
  reserve(turn: Turn, lease: Lease, call: NextCall): Promise<TurnError | undefined>
  /** True when a call outside of any turn fits under the caps. Reserves nothing. */
  allows(user: UserId, usd: number): Promise<boolean>
}

type SpendStore = { readonly turns: Pick<TurnStore, 'reserve'>; readonly usage: Pick<UsageStore, 'list'> }

/** `caps` is read at each call: settings may change it. */
export function createSpend({ store, caps }: { store: SpendStore; caps: () => Caps }): Spend {
  return {
    async reserve(turn, lease, { spent, next }) {
      const { perTurn = Infinity, perDay } = caps()
      const { capUsd = Infinity } = turn.options
      const cap = Math.min(perTurn, capUsd)
      if (isBeyond(spent + next, spent, cap)) return beyondTurn({ spent, next, cap, own: capUsd < perTurn })
      if (perDay === undefined) return undefined
      // The cost of the day includes the turn's own.
      const { granted, spentUsd, heldUsd } = await store.turns.reserve(turn, lease, { usd: next, cap: perDay })
      return granted ? undefined : beyondDay({ spent: spentUsd, held: heldUsd, next, cap: perDay })
    },
    async allows(user, next) {
      const { perTurn, perDay } = caps()
      if (perTurn !== undefined && next > perTurn) return false
      if (perDay === undefined) return true
      const today = await store.usage.list(user, 1)
      const spent = today.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
      return !isBeyond(spent + next, spent, perDay)
    },
  }
}

/** True when the cap is reached, or the next call would exceed it. */
function isBeyond(after: number, before: number, cap: number): boolean {
  return before >= cap || after > cap
}

/** `own`: the cap was given with the turn, not by the operator. */
function beyondTurn(at: { spent: number; next: number; cap: number; own: boolean }): TurnError {
  const { spent, next, cap, own } = at
  const name = own ? 'of one run of its mission' : 'SPEND_PER_TURN_USD'
  const raise = own ? 'raise the cap of the mission' : 'raise SPEND_PER_TURN_USD, or begin a new thread'
  const way = own || next > cap ? raise : 'send a message to go on'
  const message = `the turn has cost ${amountWords(spent)}${nextWords(next)}, its cap is ${amountWords(cap)} (${name}): ${way}`
  const limit = { kind: 'spend_per_turn', maxUsd: cap, spentUsd: spent, nextUsd: next } as const
  return { code: 'spend_limit', message, limit }
}

function beyondDay({ spent, held, next, cap }: { spent: number; held: number; next: number; cap: number }): TurnError {
  const others = held > 0 ? `, ${amountWords(held)} are held for calls under way` : ''
  const message = `today has cost ${amountWords(spent)}${others}${nextWords(next)}, the cap of a day is ${amountWords(cap)} (SPEND_PER_DAY_USD): go on after midnight UTC, or raise it`
  const limit = { kind: 'spend_per_day', maxUsd: cap, spentUsd: spent, nextUsd: next, heldUsd: held } as const
  return { code: 'spend_limit', message, limit }
}

function nextWords(next: number): string {
  return next > 0 ? ` and the next call would cost about ${amountWords(next)}` : ''
}
