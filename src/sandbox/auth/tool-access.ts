// How people give a tool its secrets: lists the needed ones, signs in by OAuth, checks values before they are stored.
import { AppError, wrongField } from '#core/errors.ts'
import { type UserId, userId } from '#core/ids.ts'
import type { SecretStore } from '#core/secret.ts'
import type { ToolStore } from '#core/tool-record.ts'
import type {
  ToolOwner,
  StoredSecrets,
  NeededSecret,
  Offer,
  SignIn,
  ToolAccess,
  OpenStep,
  SecretSource,
} from '#core/tool-access.ts'
import { beganWith, beginSignIn, formOfSignIn, readSignIn, type SignInSeal } from '#oauth/sign-in.ts'
import { requestTokens } from '#oauth/token-endpoint.ts'
import type { OAuth } from '#sandbox/package/auth.ts'
import { type Capabilities, readCapabilities } from '#sandbox/package/capabilities.ts'
import { asAppError } from '#sandbox/component-tools.ts'
import {
  hostsOf,
  openSteps,
  readStoredSecretName,
  requiredSecretNames,
  setupSecrets,
  storedSecretName,
  variableOf,
} from './needs.ts'
import type { DeclaredTool, ToolSecretParts, ToolSecrets } from './tool-secrets.ts'

/** Checks a token. Undefined when it works, or when the tool's file has no check. `sure` is true when it was refused. */
export type CheckToken = (tool: DeclaredTool, token: string) => Promise<{ fault: string; sure: boolean } | undefined>

export type AccessParts = Pick<ToolSecretParts, 'environment' | 'dial' | 'now'> & {
  readonly records: Pick<ToolStore, 'list'>
  readonly secrets: SecretStore
  readonly toolSecrets: ToolSecrets
  /** Encrypts the state of a sign-in, which goes through the browser. */
  readonly seal: SignInSeal
  readonly check: CheckToken
}

const maxSecretChars = 64 * 1_024
const sealName = 'sign-in'

export function createToolAccess(parts: AccessParts): ToolAccess {
  const { secrets, environment, now } = parts
  const signIns = { seal: parts.seal, now, sealName }

  async function findTool(name: string): Promise<DeclaredTool> {
    const record = (await parts.records.list()).find((each) => each.name === name)
    if (!record) throw new AppError('not_found', `no installed tool is named ${name}`)
    try {
      return { name, capabilities: readCapabilities(record.capabilities).capabilities }
    } catch (error) {
      throw asAppError(error)
    }
  }

  async function sourceOf(
    { capabilities, name: tool }: DeclaredTool,
    name: string,
    owner: UserId,
  ): Promise<SecretSource | undefined> {
    const variable = variableOf(capabilities, name)
    if (variable && environment(variable)) return 'environment'
    const own = await secrets.find(storedSecretName(tool, name), owner)
    if (own) return own.ended ? undefined : 'own'
    return (await secrets.get(storedSecretName(tool, name))) === undefined ? undefined : 'operator'
  }

  /** Other tools that have a stored secret of this name for the same person. */
  async function offers({ name: tool, capabilities }: DeclaredTool, secret: string, owner: UserId): Promise<Offer[]> {
    const hosts = hostsOf(capabilities, secret)
    const installed = new Set((await parts.records.list()).map(({ name }) => name))
    return (await secrets.list(owner)).flatMap(({ name, sameAs }) => {
      const other = sameAs === undefined ? readStoredSecretName(name) : undefined
      const fits = other?.secret === secret && other.tool !== tool && installed.has(other.tool)
      return other && fits ? [{ tool: other.tool, hosts }] : []
    })
  }

  async function neededSecret(
    tool: DeclaredTool,
    { name, owner }: { name: string; owner: UserId },
  ): Promise<Omit<NeededSecret, 'optional'>> {
    const set = await sourceOf(tool, name, owner)
    const key = storedSecretName(tool.name, name)
    const stored = (await secrets.list(owner)).find((each) => each.name === key)
    const sameAs = stored?.sameAs
    const from = sameAs === undefined ? undefined : readStoredSecretName(sameAs)?.tool
    return {
      name,
      ...(set && { set }),
      ...(set === 'own' && stored && { setAt: stored.updatedAt }),
      ...(from !== undefined && { sharedFrom: from }),
      offers: set === 'environment' || from !== undefined ? [] : await offers(tool, name, owner),
    }
  }

  async function signIn(tool: DeclaredTool, owner: UserId): Promise<SignIn | undefined> {
    const { auth } = tool.capabilities
    if (!auth) return undefined
    const { secretName, displayName, instructions, setupUrl, tokenHint, envVar, oauth } = auth
    const { prompt: _, ...secret } = await neededSecret(tool, { name: secretName, owner })
    const how = secret.set === 'environment' ? 'environment' : oauth ? 'oauth' : 'token'
    return { ...secret, how, envVar, displayName, instructions, setupUrl, tokenHint }
  }

  function checkValue(name: string, value: string): void {
    const fault = value === '' ? 'is empty' : value.length > maxSecretChars ? 'is too long' : undefined
    const broken = /[\r\n\0]/.test(value) ? 'has a line break in it' : undefined
    const why = fault ?? broken
    if (why !== undefined) throw wrongField(name, `${why}: nothing was stored`)
  }

  /** Throws when the server refuses the token. A token that could not be checked is stored with a warning. */
  async function checkToken(tool: DeclaredTool, token: string): Promise<Pick<StoredSecrets, 'warning'>> {
    const found = await parts.check(tool, token)
    if (!found) return {}
    if (found.sure) throw new AppError('tool_refused', `the token does not work: ${found.fault}; nothing was stored`)
    return { warning: `the token could not be checked: ${found.fault}` }
  }

  return {
    async needs({ tool: name, owner }) {
      const tool = await findTool(name)
      const auth = await signIn(tool, owner)
      const setup = await Promise.all(
        setupSecrets(tool.capabilities).map(async ({ name: each, prompt, optional }) => ({
          ...(await neededSecret(tool, { name: each, owner })),
          prompt,
          optional,
        })),
      )
      return { tool: name, ...(auth && { auth }), setup }
    },

    async openSteps(owner) {
      const open = new Map<string, OpenStep>()
      for (const { name, capabilities: file } of await parts.records.list()) {
        const capabilities = readable(file)
        if (!capabilities) continue
        const set = new Set<string>()
        for (const secret of requiredSecretNames(capabilities)) {
          if (await sourceOf({ name, capabilities }, secret, owner)) set.add(secret)
        }
        const [first] = openSteps(capabilities, (secret) => set.has(secret))
        if (first) open.set(name, first === 'auth' ? 'sign_in' : 'setup')
      }
      return open
    },

    async begin({ tool: name, owner }, { redirectUri, browser }) {
      const tool = await findTool(name)
      const oauth = oauthOf(tool)
      const { id: clientId } = await orAppError(parts.toolSecrets.clientOf(tool, owner))
      return beginSignIn(signIns, { tool: name, owner, redirectUri, oauth, clientId, browser })
    },

    async finish(text, by) {
      const returned = readSignIn(signIns, text, by)
      const { pending } = returned
      const tool = await findTool(pending.tool)
      const oauth = oauthOf(tool)
      const whose = { tool: pending.tool, owner: userId(pending.owner) }
      const client = await orAppError(parts.toolSecrets.clientOf(tool, whose.owner))
      if (!beganWith(pending, oauth, client.id)) {
        throw new AppError('invalid_input', `how ${pending.tool} signs in was changed since: begin again`)
      }
      const form = formOfSignIn(oauth, returned)
      const tokens = await requestTokens(form, { oauth, client, dial: parts.dial, now })
      if (!('value' in tokens)) {
        // Beginning again does not help when the server does not know the client.
        const unknownClient = tokens.code === 'invalid_client' && setupSecrets(tool.capabilities).length > 0
        const nextStep = unknownClient ? `run \`atrium tool setup ${pending.tool}\`, then begin again` : 'begin again'
        throw new AppError('tool_refused', `${pending.tool} could not sign in: ${tokens.message}; ${nextStep}`)
      }
      const checked = await checkToken(tool, tokens.value)
      const secret = tool.capabilities.auth?.secretName ?? ''
      const { value, renewal } = tokens
      await secrets.set(storedSecretName(tool.name, secret), value, { owner: whose.owner, renewal })
      return { ...whose, secrets: [secret], ...checked }
    },

    async giveToken({ tool: name, owner }, token) {
      const tool = await findTool(name)
      const { auth } = tool.capabilities
      if (!auth) throw new AppError('invalid_input', `${name} needs no sign-in`)
      if (auth.oauth) throw new AppError('invalid_input', `${name} signs in by OAuth: it takes no token by hand`)
      checkValue(auth.secretName, token)
      const checked = await checkToken(tool, token)
      await secrets.set(storedSecretName(name, auth.secretName), token, { owner })
      return { tool: name, secrets: [auth.secretName], ...checked }
    },

    async setUp({ tool: name, owner }, values) {
      const expected = setupSecrets((await findTool(name)).capabilities).map((each) => each.name)
      for (const [secret, value] of Object.entries(values)) {
        if (!expected.includes(secret)) {
          const known = expected.length > 0 ? `: it has ${expected.join(', ')}` : ''
          throw new AppError('invalid_input', `${name} has no secret ${secret} to set up${known}`, { param: secret })
        }
        checkValue(secret, value)
      }
      for (const [secret, value] of Object.entries(values))
        await secrets.set(storedSecretName(name, secret), value, { owner })
      return { tool: name, secrets: Object.keys(values) }
    },

    async share({ tool: name, owner }, secret, from) {
      const tool = await findTool(name)
      const known = [tool.capabilities.auth?.secretName, ...setupSecrets(tool.capabilities).map((each) => each.name)]
      const offered = known.includes(secret) && (await offers(tool, secret, owner)).some((each) => each.tool === from)
      if (!offered) throw new AppError('invalid_input', `${from} has no secret ${secret} that ${name} could use`)
      await secrets.share(storedSecretName(name, secret), storedSecretName(from, secret), owner)
      return { tool: name, secrets: [secret] }
    },

    async shares(owner) {
      return (await secrets.list(owner)).flatMap(({ name, sameAs }) => {
        const [shared, origin] = [readStoredSecretName(name), readStoredSecretName(sameAs ?? '')]
        return shared && origin ? [{ tool: shared.tool, secret: shared.secret, from: origin.tool }] : []
      })
    },

    forget: ({ tool, owner }: ToolOwner, secret) => secrets.remove(storedSecretName(tool, secret), owner),
  }
}

/** Undefined for a file that cannot be read, whose tool is not offered to anybody. */
function readable(file: string): Capabilities | undefined {
  try {
    return readCapabilities(file).capabilities
  } catch {
    return undefined
  }
}

function oauthOf({ name, capabilities }: DeclaredTool): OAuth {
  const oauth = capabilities.auth?.oauth
  if (!oauth) throw new AppError('invalid_input', `${name} does not sign in by OAuth`)
  return oauth
}

async function orAppError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw asAppError(error)
  }
}
