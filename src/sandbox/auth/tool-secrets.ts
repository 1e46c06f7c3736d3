// The value of a tool's secret for a request: from an environment variable, else the user's, else the operator's. OAuth
// tokens are renewed before they expire, by one process of all.
import { operator, type UserId } from '#core/ids.ts'
import type { Secret, SecretStore } from '#core/secret.ts'
import type { Log } from '#lib/log.ts'
import type { Dial } from '#net/dial.ts'
import type { Client } from '#oauth/messages.ts'
import { createRenewals, type RenewalSource } from '#oauth/renewal.ts'
import type { Capabilities } from '#sandbox/package/capabilities.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { clientSecrets, readStoredSecretName, storedSecretName, variableOf } from './needs.ts'

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

export function createToolSecrets(parts: ToolSecretParts): ToolSecrets {
  const { secrets, environment } = parts
  const renewals = createRenewals({ ...parts, sourceOf })

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

  /** A secret is renewed by the capabilities of the tool that it belongs to. */
  async function sourceOf(secret: Secret): Promise<RenewalSource | undefined> {
    const name = readStoredSecretName(secret.name)?.tool ?? ''
    const capabilities = await parts.capabilitiesOf(name)
    const oauth = capabilities?.auth?.oauth
    if (!oauth) return undefined
    try {
      return { name, oauth, client: await clientOf({ name, capabilities }, secret.owner) }
    } catch (error) {
      if (error instanceof ToolFault) return undefined
      throw error
    }
  }

  return {
    clientOf,
    async valueOf(name, tool, user, refused) {
      const variable = fromVariable(name, tool)
      if (variable !== undefined) return variable
      const secret = await findStored(name, tool.name, user)
      const current = secret && (await renewals.currentValue(secret, refused))
      if (current !== 'unavailable') return current?.value
      const message = `the sign-in of ${tool.name} could not be renewed just now; try later`
      throw new ToolFault('sandbox_unavailable', message)
    },
  }
}
