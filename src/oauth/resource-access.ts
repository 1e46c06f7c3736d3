// Sign-ins to servers that say themselves how (RFC 9728): discovery, a registered client, sealed tokens and their renewal.
import { randomUUID } from 'node:crypto'
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import { isObject, valueIn } from '#core/json.ts'
import type { Secret, SecretStore } from '#core/secret.ts'
import type { StartedSignIn } from '#core/tool-access.ts'
import type { Log } from '#lib/log.ts'
import type { Dial } from '#net/dial.ts'
import { guardedDial } from '#net/guarded-dial.ts'
import { askChallenge, type Discovered, discover, register } from './discover.ts'
import { type Client, type OAuthServer, refreshForm } from './messages.ts'
import type { PrivateHosts } from './metadata.ts'
import { createRenewals, type RenewalSource } from './renewal.ts'
import { beganWith, beginSignIn, type FinishingParty, formOfSignIn, readSignIn, type SignInSeal } from './sign-in.ts'
import { requestTokens } from './token-endpoint.ts'

const signInMs = 60_000
/** A stored token is looked up again after this time: somebody may have signed in anew in another process. */
const knownMs = 10_000

type KnownToken = { readonly secret: Secret; readonly url: string; readonly until: number }

/** A server with a name of the operator's and its address. */
export type Resource = { readonly name: string; readonly url: string }

export type ResourceAccessParts = {
  readonly secrets: Pick<
    SecretStore,
    'find' | 'get' | 'set' | 'setTogether' | 'remove' | 'removeBelow' | 'claimRenewal' | 'endRenewal'
  >
  readonly seal: SignInSeal
  readonly dial: Dial
  /** The host and port of a resource itself may be private too. */
  readonly privateHosts: PrivateHosts
  readonly now: () => number
  /** For what is known for a while: a clock that is never set. */
  readonly clock?: () => number
  readonly log: Log
  /** The first part of the names of its secrets, such as `mcp`. */
  readonly prefix: string
}

export interface ResourceAccess {
  /**
   * The access token for a server; undefined while nobody is signed in. `refused` is a token that the server answered with
   * 401: it is renewed first, if possible.
   */
  token(resource: Resource, refused?: string): Promise<string | undefined>
  /** Begins a sign-in. `client` is one that was registered by hand. Throws tool_refused with the reason. */
  begin(
    resource: Resource,
    from: { redirectUri: string; owner: UserId; browser?: string; client?: Client },
  ): Promise<StartedSignIn>
  /** Ends a sign-in that this access began; undefined if it belongs to something else. */
  finish(returned: string, by: FinishingParty): Promise<{ readonly name: string }>
  /** Removes everything about a server. */
  forget(name: string): Promise<void>
}

/** How a server was signed in to. */
type Registration = {
  readonly url: string
  readonly oauth: Omit<OAuthServer, 'extraParams'>
  readonly client: Client
  readonly redirectUri: string
}

/** Only this file writes registrations, so the insides of `oauth` and `client` are not checked again. */
function isRegistration(value: unknown): value is Registration {
  if (!isObject(value)) return false
  return (
    [value.url, value.redirectUri].every((text) => typeof text === 'string') &&
    isObject(value.oauth) &&
    isObject(value.client)
  )
}

export function createResourceAccess(parts: ResourceAccessParts): ResourceAccess {
  const { secrets, now, clock = () => performance.now(), prefix } = parts
  const signIns = { seal: parts.seal, now, sealName: `sign-in/${prefix}` }
  const keyOf = (name: string, what: 'token' | 'client' | 'pending'): string => `${prefix}/${name}/${what}`
  /** By the name of their server. */
  const known = new Map<string, KnownToken>()
  // A refresh token is replaced by the next sign-in alone.
  const renewals = createRenewals({ ...parts, sourceOf, keepsRefused: true })

  const hostsFor = (url: string): PrivateHosts => {
    const { hostname, port, protocol } = new URL(url)
    return [...parts.privateHosts, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`]
  }

  async function registrationAt(key: string): Promise<Registration | undefined> {
    const text = await secrets.get(key, operator)
    const stored = text === undefined ? undefined : valueIn(text)
    return isRegistration(stored) ? stored : undefined
  }

  /** `fresh` reads it again: a server refused the token that is known here. */
  async function storedToken(name: string, fresh: boolean): Promise<KnownToken | undefined> {
    const before = known.get(name)
    if (before && !fresh && before.until > clock()) return before
    known.delete(name)
    const secret = await secrets.find(keyOf(name, 'token'), operator)
    const url = secret && (await registrationAt(keyOf(name, 'client')))?.url
    if (!secret || url === undefined) return undefined
    const found = { secret, url, until: clock() + knownMs }
    known.set(name, found)
    return found
  }

  async function sourceOf(secret: Secret): Promise<RenewalSource | undefined> {
    const name = secret.name.slice(prefix.length + 1, -'/token'.length)
    const registration = await registrationAt(keyOf(name, 'client'))
    if (!registration) return undefined
    const { oauth, client, url } = registration
    const dial = guardedDial(parts.dial, hostsFor(url))
    return { name, oauth: { ...oauth, extraParams: new Map() }, client, dial }
  }

  /** The client of an earlier sign-in at the same server, if it may come back to this address; else a new one. */
  async function clientFor(name: string, found: Discovered, redirectUri: string, url: string): Promise<Client> {
    const earlier = await registrationAt(keyOf(name, 'client'))
    const same = earlier?.oauth.issuer === found.server.issuer && earlier.redirectUri === redirectUri
    if (earlier && same && (await isKnown(earlier))) return earlier.client
    return register(found, [redirectUri], discovery(url))
  }

  /** Servers forget clients. The page of a sign-in would say so to a person alone, the token endpoint says it to us. */
  async function isKnown({ url, oauth, client }: Registration): Promise<boolean> {
    const dial = guardedDial(parts.dial, hostsFor(url))
    const answer = await requestTokens(refreshForm({ ...oauth, extraParams: new Map() }, randomUUID()), {
      oauth,
      client,
      dial,
      now,
    })
    return 'value' in answer || answer.code !== 'invalid_client'
  }

  const discovery = (url: string) => ({
    dial: parts.dial,
    privateHosts: hostsFor(url),
    signal: AbortSignal.timeout(signInMs),
  })

  return {
    async token({ name, url }, refused) {
      const found = await storedToken(name, refused !== undefined)
      // A token is for the server that it was made for.
      if (found?.url !== url) return undefined
      const current = await renewals.currentValue(found.secret, refused)
      if (current !== 'unavailable') return current?.value === refused ? undefined : current?.value
      throw new AppError('tool_refused', `the sign-in to ${name} could not be renewed just now; try later`)
    },

    async begin({ name, url }, { redirectUri, owner, browser, client: given }) {
      const asking = discovery(url)
      const found = await discover(url, await askChallenge(url, asking), asking)
      const client = given ?? (await clientFor(name, found, redirectUri, url))
      const { extraParams: _, ...oauth } = found.oauth
      const registration: Registration = { url, oauth, client, redirectUri }
      await secrets.set(keyOf(name, 'pending'), JSON.stringify(registration), { owner: operator })
      return beginSignIn(signIns, { tool: name, owner, redirectUri, oauth: found.oauth, clientId: client.id, browser })
    },

    async finish(text, by) {
      const returned = readSignIn(signIns, text, by)
      const { tool: name } = returned.pending
      const pending = await registrationAt(keyOf(name, 'pending'))
      if (!pending) throw new AppError('invalid_input', `no sign-in to ${name} was begun: begin again`)
      const oauth = { ...pending.oauth, extraParams: new Map<string, string>() }
      if (!beganWith(returned.pending, oauth, pending.client.id)) {
        throw new AppError('invalid_input', `another sign-in to ${name} was begun since: begin again`)
      }
      const dial = guardedDial(parts.dial, hostsFor(pending.url))
      const form = formOfSignIn(oauth, returned)
      const tokens = await requestTokens(form, { oauth, client: pending.client, dial, now })
      if (!('value' in tokens)) {
        // The next sign-in registers a new client, but never replaces one that was given by hand.
        const given = tokens.code === 'invalid_client' ? ', with another --client-id if one was given' : ''
        throw new AppError('tool_refused', `${name} could not sign in: ${tokens.message}; begin again${given}`)
      }
      const client = { name: keyOf(name, 'client'), value: JSON.stringify(pending) }
      const { value, renewal } = tokens
      await secrets.setTogether([client, { name: keyOf(name, 'token'), value, renewal }], operator)
      known.delete(name)
      await secrets.remove(keyOf(name, 'pending'), operator)
      return { name }
    },

    async forget(name) {
      await secrets.removeBelow(`${prefix}/${name}/`)
      known.delete(name)
    },
  }
}
