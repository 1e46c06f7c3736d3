// The value of a tool's secret for a request: from an environment variable, else the user's, else the operator's. OAuth
// tokens are renewed before they expire, by one process of all.
import { setTimeout as pause } from 'node:timers/promises'
import { operator, type UserId } from '#core/ids.ts'
import type { Renewal, Secret, SecretStore } from '#core/secret.ts'
import type { Log } from '#lib/log.ts'
import type { Dial } from '#net/dial.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { clientSecrets, readStoredSecretName, storedSecretName, variableOf } from './needs.ts'
import { type Client, refreshForm, type Tokens } from './oauth.ts'
import { requestTokens, tokenRequestMs } from './token-endpoint.ts'
import { evictOldest } from '#lib/evict.ts'

/** A tool with the rights that its capability file declares. */
export type DeclaredTool = { readonly name: string; readonly capabilities: Capabilities }

export type ToolSecretParts = {
  readonly secrets: Pick<SecretStore, 'find' | 'claimRenewal' | 'endRenewal'>
  readonly environment: (name: string) => string | undefined
  /** The capabilities of an installed tool. A shared secret is renewed by those of the tool that it belongs to. */
  readonly capabilitiesOf: (tool: string) => Promise<Capabilities | undefined>
  readonly dial: Dial
  readonly now: () => number
  readonly log: Log
}

export interface ToolSecrets {
  /** The value of a secret. `refused` is a value that a server answered with 401: it is renewed first, if possible. */
  valueOf(name: string, tool: DeclaredTool, user: UserId, refused?: string): Promise<string | undefined>
  /** The client of a tool's OAuth. Throws credential_missing when it is not set. */
  clientOf(tool: DeclaredTool, user: UserId): Promise<Client>
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

export function createToolSecrets(parts: ToolSecretParts): ToolSecrets {
  const { secrets, environment, now, log } = parts
  /** Renewals in progress: calls of this process that need the same secret share one. */
  const renewing = new Map<string, Promise<Secret | undefined>>()
  /** By secret, the time of the next allowed early renewal. */
  const pausedUntil = new Map<string, number>()

  async function findStored(name: string, tool: string, user: UserId): Promise<Secret | undefined> {
    const key = storedSecretName(tool, name)
    return (await secrets.find(key, user)) ?? (user === operator ? undefined : secrets.find(key, operator))
  }

  const fromVariable = (name: string, { capabilities }: DeclaredTool): string | undefined => {
    const variable = variableOf(capabilities, name)
    return (variable && environment(variable)) || undefined
  }

  /** The value of a secret that needs no renewal. */
  const clientValue = async (name: string, tool: DeclaredTool, user: UserId): Promise<string | undefined> =>
    fromVariable(name, tool) ?? (await findStored(name, tool.name, user))?.value

  async function clientOf(tool: DeclaredTool, user: UserId): Promise<Client> {
    const { oauth } = tool.capabilities.auth ?? {}
    const names = clientSecrets(tool.capabilities)
    const id = oauth?.clientId ?? (names.id && (await clientValue(names.id, tool, user)))
    if (!id) {
      const command = `atrium tool setup ${tool.name}`
      const message = `${tool.name} needs the secret ${names.id ?? 'of its client'}: run \`${command}\``
      const credential = { secret: names.id ?? '', tool: tool.name, command }
      throw new ToolFault('credential_missing', message, { credential })
    }
    return { id, secret: (names.secret && (await clientValue(names.secret, tool, user))) || undefined }
  }

  /** Renews a secret that this process has claimed. Only the answer invalid_grant ends the sign-in for good. */
  async function renew(secret: Secret, token: string): Promise<void> {
    const tool = readStoredSecretName(secret.name)?.tool ?? ''
    const capabilities = await parts.capabilitiesOf(tool)
    const oauth = capabilities?.auth?.oauth
    if (!oauth) return secrets.endRenewal(secret, { type: 'failed' })
    try {
      const client = await clientOf({ name: tool, capabilities }, secret.owner)
      const { dial } = parts
      const answer = await requestTokens(refreshForm(token), { oauth, client, dial, now, before: token })
      if ('value' in answer) return await storeTokens(secret, answer)
      const ended = answer.code === 'invalid_grant'
      log.warn({ tool, reason: answer.message }, ended ? 'a sign-in has ended' : 'a sign-in could not be renewed')
      await secrets.endRenewal(secret, { type: ended ? 'ended' : 'failed' })
    } catch (error) {
      await secrets.endRenewal(secret, { type: 'failed' })
      if (!(error instanceof ToolFault)) throw error
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
  async function renewOrWait(secret: Secret, token: string, wait: boolean): Promise<Secret | undefined> {
    for (const until = now() + claimMs; ; ) {
      if (await secrets.claimRenewal(secret, now() + claimMs)) {
        await renew(secret, token)
        return secrets.find(secret.name, secret.owner)
      }
      const current = await secrets.find(secret.name, secret.owner)
      if (!wait || current?.updatedAt !== secret.updatedAt || now() > until) return current
      await pause(pollMs)
    }
  }

  function renewOnce(secret: Secret, token: string, wait: boolean): Promise<Secret | undefined> {
    const key = keyOf(secret)
    const running = renewing.get(key) ?? renewOrWait(secret, token, wait).finally(() => renewing.delete(key))
    renewing.set(key, running)
    return running
  }

  /** Renews a token that still works, in the background: a server that does not answer delays no call. */
  function renewEarly(secret: Secret, token: string): void {
    const key = keyOf(secret)
    if ((pausedUntil.get(key) ?? 0) > now()) return
    pausedUntil.set(key, now() + earlyRenewalPauseMs)
    evictOldest(pausedUntil, maxPauses)
    renewOnce(secret, token, false).catch((error: unknown) =>
      log.warn({ err: error }, 'a sign-in could not be renewed'),
    )
  }

  return {
    clientOf,
    async valueOf(name, tool, user, refused) {
      const variable = fromVariable(name, tool)
      if (variable !== undefined) return variable
      const secret = await findStored(name, tool.name, user)
      const token = secret?.renewal?.token
      if (!secret || token === undefined) return secret?.value || undefined
      const unusable = (secret.renewal?.expiresAt ?? Number.POSITIVE_INFINITY) <= now() || secret.value === refused
      if (!unusable) {
        if (isDue(secret.renewal, secret.updatedAt, now())) renewEarly(secret, token)
        return secret.value
      }
      const next = await renewOnce(secret, token, true)
      if (next?.updatedAt !== secret.updatedAt) return next?.value || undefined
      if (secret.value === refused) return secret.value
      throw new ToolFault('sandbox_unavailable', `the sign-in of ${tool.name} could not be renewed just now; try later`)
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
