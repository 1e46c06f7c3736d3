// The value of a tool's secret when a request needs it: by variable, of the user, or the operator's; renewed before it
// ends, by one process of all.
import { setTimeout as pause } from 'node:timers/promises'
import { operator, type UserId } from '#core/ids.ts'
import type { Renewal, Secret, SecretStore } from '#core/secret.ts'
import type { Log } from '#lib/log.ts'
import type { Dial } from '#net/dial.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { clientSecrets, readToolSecret, toolSecret, variableOf } from './needs.ts'
import { type Client, refreshForm, type Tokens } from './oauth.ts'
import { askForTokens, tokenRequestMs } from './token-endpoint.ts'
import { evictOldest } from '#lib/evict.ts'

export type ToolOf = { readonly name: string; readonly capabilities: Capabilities }

export type ToolSecretParts = {
  readonly secrets: Pick<SecretStore, 'find' | 'claimRenewal' | 'endRenewal'>
  readonly environment: (name: string) => string | undefined
  /** The capability file of an installed tool: a shared secret is renewed by the file of the tool it belongs to. */
  readonly capabilitiesOf: (tool: string) => Promise<Capabilities | undefined>
  readonly dial: Dial
  readonly now: () => number
  readonly log: Log
}

export interface ToolSecrets {
  /** A secret's value. `refused` is one that a server did not take: it is renewed first, where it can be. */
  valueOf(name: string, tool: ToolOf, user: UserId, refused?: string): Promise<string | undefined>
  /** The client of a tool's OAuth. Throws credential_missing while nobody has set it. */
  clientOf(tool: ToolOf, user: UserId): Promise<Client>
}

/** How long before its end a secret is renewed: whoever is refused in the meantime still has one that works. */
const earlyMs = 2 * 60_000
/** A life of minutes is renewed in its last quarter. */
const earlyPart = 0.25
/** Longer than a renewal takes: one that is still held then was given up by a process that is gone. */
const claimMs = tokenRequestMs * 2 + 5_000
const pollMs = 100
/** How long nobody here tries again to renew what still works; and how many such secrets are remembered. */
const restMs = 30_000
const maxResting = 1_000
/** A token that the server has given is lost unless it is stored: it is tried so often, after waits that double. */
const storeTries = 5
const storeAgainMs = 200

export function createToolSecrets(parts: ToolSecretParts): ToolSecrets {
  const { secrets, environment, now, log } = parts
  /** Calls of this process that need the same secret wait for one renewal. */
  const renewing = new Map<string, Promise<Secret | undefined>>()
  /** When an early renewal may be tried again. */
  const resting = new Map<string, number>()

  async function stored(name: string, tool: string, user: UserId): Promise<Secret | undefined> {
    const place = toolSecret(tool, name)
    return (await secrets.find(place, user)) ?? (user === operator ? undefined : secrets.find(place, operator))
  }

  const plain = async (name: string, tool: ToolOf, user: UserId): Promise<string | undefined> => {
    const variable = variableOf(tool.capabilities, name)
    return (variable && environment(variable)) || (await stored(name, tool.name, user))?.value
  }

  async function clientOf(tool: ToolOf, user: UserId): Promise<Client> {
    const { oauth } = tool.capabilities.auth ?? {}
    const names = clientSecrets(tool.capabilities)
    const id = oauth?.clientId ?? (names.id && (await plain(names.id, tool, user)))
    if (!id) {
      const command = `atrium tool setup ${tool.name}`
      const message = `${tool.name} needs the secret ${names.id ?? 'of its client'}: run \`${command}\``
      throw new ToolFault('credential_missing', message, { secret: names.id ?? '', tool: tool.name, command })
    }
    return { id, secret: (names.secret && (await plain(names.secret, tool, user))) || undefined }
  }

  /** Renews a secret that this process has claimed. Only the server's word that it never will be ends it. */
  async function renew(secret: Secret, token: string): Promise<void> {
    const tool = readToolSecret(secret.name)?.tool ?? ''
    const capabilities = await parts.capabilitiesOf(tool)
    const oauth = capabilities?.auth?.oauth
    if (!oauth) return secrets.endRenewal(secret, { type: 'failed' })
    try {
      const client = await clientOf({ name: tool, capabilities }, secret.owner)
      const { dial } = parts
      const answer = await askForTokens(refreshForm(token), { oauth, client, dial, now, before: token })
      if ('value' in answer) return await keep(secret, answer)
      const over = answer.code === 'invalid_grant'
      log.warn({ tool, reason: answer.message }, over ? 'a sign-in has ended' : 'a sign-in could not be renewed')
      await secrets.endRenewal(secret, { type: over ? 'ended' : 'failed' })
    } catch (error) {
      await secrets.endRenewal(secret, { type: 'failed' })
      if (!(error instanceof ToolFault)) throw error
    }
  }

  async function keep(secret: Secret, tokens: Tokens): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await secrets.endRenewal(secret, { type: 'renewed', ...tokens })
      } catch (error) {
        if (attempt >= storeTries) throw error
        await pause(storeAgainMs * 2 ** (attempt - 1))
      }
    }
  }

  /** One of all processes renews; the others wait for what comes of it, as long as they have nothing that works. */
  async function renewed(secret: Secret, token: string, wait: boolean): Promise<Secret | undefined> {
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

  function once(secret: Secret, token: string, wait: boolean): Promise<Secret | undefined> {
    const key = keyOf(secret)
    const running = renewing.get(key) ?? renewed(secret, token, wait).finally(() => renewing.delete(key))
    renewing.set(key, running)
    return running
  }

  /** Renews what still works for a while: nobody waits for it, so a server that does not answer holds no call. */
  function renewEarly(secret: Secret, token: string): void {
    const key = keyOf(secret)
    if ((resting.get(key) ?? 0) > now()) return
    resting.set(key, now() + restMs)
    evictOldest(resting, maxResting)
    once(secret, token, false).catch((error: unknown) => log.warn({ err: error }, 'a sign-in could not be renewed'))
  }

  return {
    clientOf,
    async valueOf(name, tool, user, refused) {
      const variable = variableOf(tool.capabilities, name)
      const given = variable && environment(variable)
      if (given) return given
      const secret = await stored(name, tool.name, user)
      const token = secret?.renewal?.token
      if (!secret || token === undefined) return secret?.value || undefined
      const over = (secret.renewal?.expiresAt ?? Number.POSITIVE_INFINITY) <= now() || secret.value === refused
      if (!over) {
        if (isDue(secret.renewal, secret.updatedAt, now())) renewEarly(secret, token)
        return secret.value
      }
      const next = await once(secret, token, true)
      if (next?.updatedAt !== secret.updatedAt) return next?.value || undefined
      if (secret.value === refused) return secret.value
      throw new ToolFault('sandbox_unavailable', `the sign-in of ${tool.name} could not be renewed just now; try later`)
    },
  }
}

function keyOf({ owner, name, updatedAt }: Secret): string {
  return `${owner} ${name} ${updatedAt}`
}

/** True shortly before the end. */
function isDue({ expiresAt }: Renewal = {}, since: number, now: number): boolean {
  if (expiresAt === undefined) return false
  return now >= expiresAt - Math.min(earlyMs, (expiresAt - since) * earlyPart)
}
