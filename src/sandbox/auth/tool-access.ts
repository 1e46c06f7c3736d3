// How people give a tool its secrets: what is asked for, what is taken, and what is checked before it is kept.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '#core/errors.ts'
import { type UserId, userId } from '#core/ids.ts'
import { isObject } from '#core/json.ts'
import type { SecretStore } from '#core/secret.ts'
import type { ToolStore } from '#core/store.ts'
import type {
  ToolOwner,
  StoredSecrets,
  NeededSecret,
  Offer,
  SignIn,
  ToolAccess,
  SecretSource,
} from '#core/tool-access.ts'
import type { OAuth } from '#sandbox/package/auth.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { asAppError } from '#sandbox/component-tools.ts'
import { hostsOf, readToolSecret, setupSecrets, toolSecret, variableOf } from './needs.ts'
import { codeForm, issuerFault, readReturn, type Returned, signInUrl } from './oauth.ts'
import type { ToolOf, ToolSecretParts, ToolSecrets } from './tool-secrets.ts'
import { askForTokens } from './token-endpoint.ts'

/** Whether a token works: undefined when it does, or when the tool's file does not say how to tell. */
export type CheckToken = (tool: ToolOf, token: string) => Promise<{ fault: string; sure: boolean } | undefined>

export type AccessParts = Pick<ToolSecretParts, 'environment' | 'dial' | 'now'> & {
  readonly records: Pick<ToolStore, 'list'>
  readonly secrets: SecretStore
  readonly toolSecrets: ToolSecrets
  /** Seals what a sign-in carries through the browser. */
  readonly seal: { seal(name: string, value: string): string; open(name: string, sealed: string): string }
  readonly check: CheckToken
}

/** What a state holds: who began a sign-in, of which tool, and what its end needs. */
type Pending = {
  readonly tool: string
  readonly owner: string
  readonly verifier: string
  readonly redirectUri: string
  readonly until: number
  /** The digest of what only the browser knows that began it. */
  readonly browser?: string
}

const signInMs = 10 * 60_000
const maxSecretChars = 64 * 1_024
const sealedAs = 'sign-in'

export function createToolAccess(parts: AccessParts): ToolAccess {
  const { secrets, environment, now } = parts

  async function find(name: string): Promise<ToolOf> {
    const record = (await parts.records.list()).find((each) => each.name === name)
    if (!record) throw new AppError('not_found', `no tool is named ${name}`)
    try {
      return { name, capabilities: readCapabilities(record.capabilities).capabilities }
    } catch (error) {
      throw asAppError(error)
    }
  }

  async function whence(
    { capabilities, name: tool }: ToolOf,
    name: string,
    owner: UserId,
  ): Promise<SecretSource | undefined> {
    const variable = variableOf(capabilities, name)
    if (variable && environment(variable)) return 'environment'
    const own = await secrets.find(toolSecret(tool, name), owner)
    if (own) return own.ended ? undefined : 'own'
    return (await secrets.get(toolSecret(tool, name))) === undefined ? undefined : 'operator'
  }

  /** Other tools that hold a secret of this name for the same person. */
  async function offers({ name: tool, capabilities }: ToolOf, secret: string, owner: UserId): Promise<Offer[]> {
    const hosts = hostsOf(capabilities, secret)
    const installed = new Set((await parts.records.list()).map(({ name }) => name))
    return (await secrets.list(owner)).flatMap(({ name, sameAs }) => {
      const place = sameAs === undefined ? readToolSecret(name) : undefined
      const fits = place?.secret === secret && place.tool !== tool && installed.has(place.tool)
      return place && fits ? [{ tool: place.tool, hosts }] : []
    })
  }

  async function needed(
    tool: ToolOf,
    { name, owner }: { name: string; owner: UserId },
  ): Promise<Omit<NeededSecret, 'optional'>> {
    const set = await whence(tool, name, owner)
    const place = toolSecret(tool.name, name)
    const stored = (await secrets.list(owner)).find((each) => each.name === place)
    const sameAs = stored?.sameAs
    const from = sameAs === undefined ? undefined : readToolSecret(sameAs)?.tool
    return {
      name,
      ...(set && { set }),
      ...(set === 'own' && stored && { setAt: stored.updatedAt }),
      ...(from !== undefined && { sharedFrom: from }),
      offers: set === 'environment' || from !== undefined ? [] : await offers(tool, name, owner),
    }
  }

  async function signIn(tool: ToolOf, owner: UserId): Promise<SignIn | undefined> {
    const { auth } = tool.capabilities
    if (!auth) return undefined
    const { secretName, displayName, instructions, setupUrl, tokenHint, envVar, oauth } = auth
    const { prompt: _, ...secret } = await needed(tool, { name: secretName, owner })
    const how = secret.set === 'environment' ? 'environment' : oauth ? 'oauth' : 'token'
    return { ...secret, how, envVar, displayName, instructions, setupUrl, tokenHint }
  }

  function checkValue(name: string, value: string): string {
    const fault = value === '' ? 'is empty' : value.length > maxSecretChars ? 'is too long' : undefined
    const broken = /[\r\n\0]/.test(value) ? 'has a line break in it' : undefined
    const why = fault ?? broken
    if (why !== undefined) throw new AppError('invalid_input', `${name} ${why}: nothing was stored`, { param: name })
    return value
  }

  /** Nothing that a server refuses is kept; one that cannot be reached says nothing. */
  async function tried(tool: ToolOf, token: string): Promise<Pick<StoredSecrets, 'warning'>> {
    const found = await parts.check(tool, token)
    if (!found) return {}
    if (found.sure) throw new AppError('tool_refused', `the token does not work: ${found.fault}; nothing was stored`)
    return { warning: `whether it works could not be checked: ${found.fault}` }
  }

  return {
    async needs({ tool: name, owner }) {
      const tool = await find(name)
      const auth = await signIn(tool, owner)
      const setup = await Promise.all(
        setupSecrets(tool.capabilities).map(async ({ name: each, prompt, optional }) => ({
          ...(await needed(tool, { name: each, owner })),
          prompt,
          optional,
        })),
      )
      return { tool: name, ...(auth && { auth }), setup }
    },

    async begin({ tool: name, owner }, { redirectUri, browser }) {
      const tool = await find(name)
      const oauth = oauthOf(tool)
      const { id: clientId } = await orAppError(parts.toolSecrets.clientOf(tool, owner))
      const pending: Pending = {
        tool: name,
        owner,
        verifier: randomBytes(32).toString('base64url'),
        redirectUri,
        until: now() + signInMs,
        ...(browser !== undefined && { browser: digestOf(browser) }),
      }
      const sealed = Buffer.from(parts.seal.seal(sealedAs, JSON.stringify(pending)), 'base64').toString('base64url')
      return { state: sealed, url: signInUrl(oauth, { clientId, state: sealed, ...pending }) }
    },

    async finish(text, { owner, browser, state }) {
      const returned = readReturn(text)
      if (typeof returned === 'string') throw new AppError('invalid_input', returned)
      if (state !== undefined && returned.state !== undefined && returned.state !== state) {
        throw new AppError('invalid_input', 'this is the end of another sign-in: begin again')
      }
      const pending = openState(returned.state ?? state, parts.seal)
      const byBrowser = browser !== undefined && pending.browser !== undefined && isDigest(browser, pending.browser)
      if (pending.owner !== owner && !byBrowser) {
        throw new AppError('forbidden', 'this sign-in was begun elsewhere: end it in the browser that began it')
      }
      if (pending.until < now()) throw new AppError('invalid_input', 'the sign-in took too long: begin again')
      const tool = await find(pending.tool)
      const oauth = oauthOf(tool)
      checkReturn(returned, oauth, pending)
      const whose = { tool: pending.tool, owner: userId(pending.owner) }
      const client = await orAppError(parts.toolSecrets.clientOf(tool, whose.owner))
      const { dial } = parts
      const tokens = await askForTokens(codeForm(oauth, { ...pending, code: returned.code }), {
        oauth,
        client,
        dial,
        now,
      })
      if (!('value' in tokens)) {
        // A server that does not know the client will not know it the next time either.
        const stranger = tokens.code === 'invalid_client' && setupSecrets(tool.capabilities).length > 0
        const way = stranger ? `run \`atrium tool setup ${pending.tool}\`, then begin again` : 'begin again'
        throw new AppError('tool_refused', `${pending.tool} could not sign in: ${tokens.message}; ${way}`)
      }
      const checked = await tried(tool, tokens.value)
      const secret = tool.capabilities.auth?.secretName ?? ''
      const { value, renewal } = tokens
      await secrets.set(toolSecret(tool.name, secret), value, { owner: whose.owner, renewal })
      return { ...whose, secrets: [secret], ...checked }
    },

    async giveToken({ tool: name, owner }, token) {
      const tool = await find(name)
      const { auth } = tool.capabilities
      if (!auth) throw new AppError('invalid_input', `${name} needs no sign-in`)
      if (auth.oauth) throw new AppError('invalid_input', `${name} signs in by OAuth: it takes no token by hand`)
      checkValue(auth.secretName, token)
      const checked = await tried(tool, token)
      await secrets.set(toolSecret(name, auth.secretName), token, { owner })
      return { tool: name, secrets: [auth.secretName], ...checked }
    },

    async setUp({ tool: name, owner }, given) {
      const wanted = setupSecrets((await find(name)).capabilities).map((each) => each.name)
      for (const [secret, value] of Object.entries(given)) {
        if (!wanted.includes(secret)) {
          const known = wanted.length > 0 ? `: it has ${wanted.join(', ')}` : ''
          throw new AppError('invalid_input', `${name} has no secret ${secret} to set up${known}`, { param: secret })
        }
        checkValue(secret, value)
      }
      for (const [secret, value] of Object.entries(given)) await secrets.set(toolSecret(name, secret), value, { owner })
      return { tool: name, secrets: Object.keys(given) }
    },

    async share({ tool: name, owner }, secret, from) {
      const tool = await find(name)
      const known = [tool.capabilities.auth?.secretName, ...setupSecrets(tool.capabilities).map((each) => each.name)]
      const offered = known.includes(secret) && (await offers(tool, secret, owner)).some((each) => each.tool === from)
      if (!offered) throw new AppError('invalid_input', `${from} has no secret ${secret} that ${name} could use`)
      await secrets.share(toolSecret(name, secret), toolSecret(from, secret), owner)
      return { tool: name, secrets: [secret] }
    },

    async shares(owner) {
      return (await secrets.list(owner)).flatMap(({ name, sameAs }) => {
        const [place, origin] = [readToolSecret(name), readToolSecret(sameAs ?? '')]
        return place && origin ? [{ tool: place.tool, secret: place.secret, from: origin.tool }] : []
      })
    },

    forget: ({ tool, owner }: ToolOwner, secret) => secrets.remove(toolSecret(tool, secret), owner),
  }
}

function oauthOf({ name, capabilities }: ToolOf): OAuth {
  const oauth = capabilities.auth?.oauth
  if (!oauth) throw new AppError('invalid_input', `${name} does not sign in by OAuth`)
  return oauth
}

/** A code alone is only bound to its beginning by the proof key, and does not say who sent it. */
function checkReturn(returned: Returned, oauth: OAuth, { redirectUri }: Pending): void {
  const alone = returned.address === undefined
  if ((alone && !(oauth.usePkce && oauth.issuer === undefined)) || (!alone && returned.state === undefined)) {
    throw new AppError('invalid_input', 'give the whole address that the browser was sent to, not the code alone')
  }
  const astray = !alone && returned.address !== redirectUri
  const wrong = astray ? `${returned.address} is not where it was to end` : issuerFault(oauth, returned.issuer)
  if (!alone && wrong !== undefined) throw new AppError('tool_refused', `${wrong}: nothing was stored`)
}

function openState(state: string | undefined, seal: AccessParts['seal']): Pending {
  try {
    const opened: unknown = JSON.parse(seal.open(sealedAs, Buffer.from(state ?? '', 'base64url').toString('base64')))
    if (isObject(opened)) return opened as unknown as Pending
  } catch (error) {
    throw new AppError('invalid_input', 'this is not the end of a sign-in that was begun here', { cause: error })
  }
  throw new AppError('invalid_input', 'this is not the end of a sign-in that was begun here')
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function isDigest(text: string, digest: string): boolean {
  const [a, b] = [Buffer.from(digestOf(text)), Buffer.from(digest)]
  return a.length === b.length && timingSafeEqual(a, b)
}

async function orAppError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw asAppError(error)
  }
}
