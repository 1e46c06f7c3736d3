// Renews tokens before they expire, or when a server refuses one: by one process of all, and one call of each.
import { setTimeout as pause } from 'node:timers/promises'
import type { Renewal, Secret, SecretStore } from '#core/secret.ts'
import { evictOldest } from '#lib/evict.ts'
import type { Log } from '#lib/log.ts'
import type { Dial } from '#net/dial.ts'
import { type Client, type OAuthServer, refreshForm, type Tokens } from './messages.ts'
import { requestTokens, tokenRequestMs } from './token-endpoint.ts'

/** Where and as which client a secret is renewed. */
export type RenewalSource = {
  readonly oauth: OAuthServer
  readonly client: Client
  /** Its name in the log. */
  readonly name: string
  readonly dial?: Dial
}

export type RenewalParts = {
  readonly secrets: Pick<SecretStore, 'find' | 'claimRenewal' | 'endRenewal'>
  /** The source of a secret; undefined if it cannot be renewed now. */
  readonly sourceOf: (secret: Secret) => Promise<RenewalSource | undefined>
  readonly dial: Dial
  readonly now: () => number
  /** For pauses: a clock that is never set. */
  readonly clock?: () => number
  readonly log: Log
  /** Keeps a refresh token that the server refuses: it is replaced by the next sign-in alone, and tried until then. */
  readonly keepsRefused?: boolean
}

export interface Renewals {
  /**
   * The value of a stored secret, renewed first if it has expired or is `refused`, the value that a server answered with
   * 401. Undefined if its sign-in has ended, `unavailable` if it has expired and cannot be renewed just now.
   */
  currentValue(secret: Secret, refused?: string): Promise<{ value: string } | 'unavailable' | undefined>
}

/** A token is renewed this long before it expires, so that calls can use the old one in the meantime. */
const renewAheadMs = 2 * 60_000
/** A token with a short lifetime is renewed in this last part of it. */
const renewAheadPart = 0.25
/** Lifetime of a claim to renew. Longer than a renewal takes: an older claim belongs to a process that is gone. */
const claimMs = tokenRequestMs * 2 + 5_000
const pollMs = 100
/** Pause between two early renewals of one token in this process. */
const earlyRenewalPauseMs = 30_000
const maxPauses = 1_000
/** A new token is lost unless it is stored, so storing is retried. The wait doubles each time. */
const maxStoreAttempts = 5
const firstStoreRetryMs = 200

/** The answers of a server that only another sign-in can change. */
const refusals = ['invalid_grant', 'invalid_client', 'unauthorized_client']
/** Stands for a secret whose refresh token was refused, and kept. */
const refusedToken = Symbol('a refused refresh token')

type Renewed = Secret | typeof refusedToken | undefined

export function createRenewals(parts: RenewalParts): Renewals {
  const { secrets, now, clock = () => performance.now(), log, keepsRefused = false } = parts
  /** Renewals in progress: calls of this process that need the same secret share one. */
  const renewing = new Map<string, Promise<Renewed>>()
  /** By secret, the time of the next allowed early renewal. */
  const pausedUntil = new Map<string, number>()

  /**
   * Renews a secret that this process has claimed. Only the answer invalid_grant can end a sign-in for good. True if the
   * server refused a refresh token that is kept.
   */
  async function renew(secret: Secret, token: string): Promise<boolean> {
    try {
      const source = await parts.sourceOf(secret)
      if (!source) {
        await secrets.endRenewal(secret, { type: 'failed' })
        return false
      }
      const { oauth, client, name, dial = parts.dial } = source
      const answer = await requestTokens(refreshForm(oauth, token), { oauth, client, dial, now, before: token })
      if ('value' in answer) {
        await storeTokens(secret, answer)
        return false
      }
      const ended = answer.code === 'invalid_grant' && !keepsRefused
      log.warn({ tool: name, reason: answer.message }, ended ? 'a sign-in has ended' : 'a sign-in could not be renewed')
      await secrets.endRenewal(secret, { type: ended ? 'ended' : 'failed' })
      return keepsRefused && refusals.includes(answer.code)
    } catch (error) {
      await secrets.endRenewal(secret, { type: 'failed' })
      throw error
    }
  }

  async function storeTokens(secret: Secret, tokens: Tokens): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await secrets.endRenewal(secret, { type: 'renewed', ...tokens })
      } catch (error) {
        if (attempt >= maxStoreAttempts) throw error
        await pause(firstStoreRetryMs * 2 ** (attempt - 1))
      }
    }
  }

  /** Renews a secret, or waits for the process that already does; `wait` is false while the old value still works. */
  async function renewOrWait(secret: Secret, token: string, wait: boolean): Promise<Renewed> {
    for (const until = performance.now() + claimMs; ; ) {
      if (await secrets.claimRenewal(secret, claimMs)) {
        return (await renew(secret, token)) ? refusedToken : secrets.find(secret.name, secret.owner)
      }
      const current = await secrets.find(secret.name, secret.owner)
      if (!wait || current?.updatedAt !== secret.updatedAt || performance.now() > until) return current
      await pause(pollMs)
    }
  }

  function renewOnce(secret: Secret, token: string, wait: boolean): Promise<Renewed> {
    const key = keyOf(secret)
    const running = renewing.get(key) ?? renewOrWait(secret, token, wait).finally(() => renewing.delete(key))
    renewing.set(key, running)
    return running
  }

  /** Renews a token that still works, in the background: a server that does not answer delays no call. */
  function renewEarly(secret: Secret, token: string): void {
    const key = keyOf(secret)
    if ((pausedUntil.get(key) ?? 0) > clock()) return
    pausedUntil.set(key, clock() + earlyRenewalPauseMs)
    evictOldest(pausedUntil, maxPauses)
    renewOnce(secret, token, false).catch((error: unknown) =>
      log.warn({ err: error }, 'a sign-in could not be renewed'),
    )
  }

  return {
    async currentValue(secret, refused) {
      const token = secret.renewal?.token
      const shown = (value: string | undefined) => (value ? { value } : undefined)
      if (token === undefined) return shown(secret.value)
      const unusable = (secret.renewal?.expiresAt ?? Number.POSITIVE_INFINITY) <= now() || secret.value === refused
      if (!unusable) {
        if (isDue(secret.renewal, secret.updatedAt, now())) renewEarly(secret, token)
        return shown(secret.value)
      }
      const next = await renewOnce(secret, token, true)
      if (next === refusedToken) return undefined
      if (next?.updatedAt !== secret.updatedAt) return shown(next?.value)
      return secret.value === refused ? { value: secret.value } : 'unavailable'
    },
  }
}

function keyOf({ owner, name, updatedAt }: Secret): string {
  return `${owner} ${name} ${updatedAt}`
}

/** True shortly before the token expires. */
function isDue({ expiresAt }: Renewal = {}, since: number, now: number): boolean {
  if (expiresAt === undefined) return false
  return now >= expiresAt - Math.min(renewAheadMs, (expiresAt - since) * renewAheadPart)
}
