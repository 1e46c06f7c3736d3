// Routes of tool sign-in and set-up: the secrets a tool needs, and the ways to supply them. The operator's secrets
// serve everybody, a user's only that user.
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { AppError, wrongField } from '#core/errors.ts'
import type { StoredSecrets, NeededSecret, SignIn, ToolAccess, ToolNeeds } from '#core/tool-access.ts'
import { type Caller, requireAllTools } from '#http/caller.ts'
import type { Origins } from '#http/origin.ts'
import { type Route, route } from '#http/routes.ts'
import type { Gates } from '#turns/gates.ts'
import {
  AuthAnswer,
  NeedsAnswer,
  type SecretWire,
  SetupAnswer,
  SharesAnswer,
  type SignInWire,
} from '#doors/web/wire/tool.ts'
import { isoTimeOrNull } from '#core/time.ts'
import { beginInBrowser, receiveBrowser } from './sign-in-return.ts'

const maxValueChars = 64 * 1024
const callbackPath = '/api/tools/oauth/callback'
const text = z.string().check(z.maxLength(maxValueChars, `must have at most ${maxValueChars} characters`))
const AuthBody = z.object({
  /** A token that the user pasted. */
  token: z.nullish(text),
  /** The result of an OAuth sign-in: the full callback URL, or only its code. */
  returned: z.nullish(text),
  /** The OAuth `state` of that sign-in. */
  state: z.nullish(text),
  /** Use the secret of the same name that this tool has. */
  use: z.nullish(text),
})
const SetupBody = z.object({
  secrets: z.optional(z.record(z.string(), text)),
  /** Secret name -> the tool whose secret of the same name is used. */
  use: z.optional(z.record(z.string(), text)),
})
export type ToolAccessParts = {
  readonly gates: Pick<Gates, 'signedIn'>
  /** Opened at the first call. */
  readonly access: () => Promise<ToolAccess>
  readonly origins: Pick<Origins, 'site' | 'ownOrigin'>
}

export function toolAccessRoutes(parts: ToolAccessParts): Route[] {
  const { access, origins } = parts
  const here = ({ raw }: FastifyRequest): string => origins.ownOrigin(raw)
  const whose = (tool: string, { user: owner }: Caller) => ({ tool, owner })
  /** A secret is for every turn of its user, and setting one lets turns go on that wait for it. */
  const changing = (tool: string, caller: Caller) => {
    requireAllTools(caller, 'sign tools in and set their secrets')
    return whose(tool, caller)
  }

  /** Resumes turns that waited for these secrets. Returns how many gates it closed. */
  async function resumeWaiting(
    { tool, secrets }: StoredSecrets,
    caller: Pick<Caller, 'user' | 'name'>,
  ): Promise<number> {
    let closed = 0
    for (const secret of secrets) {
      closed += await parts.gates.signedIn({ tool, secret, owner: caller.user, by: caller.name })
    }
    return closed
  }

  async function answerStored(secrets: StoredSecrets, caller: Caller): Promise<z.output<typeof AuthAnswer>> {
    const { warning } = secrets
    return {
      status: 'stored',
      continued: await resumeWaiting(secrets, caller),
      ...(warning !== undefined && { warning }),
    }
  }

  async function begin(tool: string, caller: Caller, reply: FastifyReply): Promise<z.output<typeof AuthAnswer>> {
    const toolAccess = await access()
    const begun = await beginInBrowser(reply, { base: here(reply.request), path: callbackPath }, (from) =>
      toolAccess.begin(whose(tool, caller), from),
    )
    return { status: 'sign_in', ...begun }
  }

  return [
    route({
      method: 'GET',
      path: '/api/tools/:name/auth',
      who: 'user',
      summary: 'Show the sign-in and the secrets that a tool needs, and which are set',
      answers: { 200: NeedsAnswer },
      async handle({ params: { name }, caller }) {
        return needsWire(await (await access()).needs(whose(name, caller)))
      },
    }),
    route({
      method: 'POST',
      path: '/api/tools/:name/auth',
      who: 'user',
      summary: 'Sign a tool in: with a token, by OAuth, or with the secret of another tool',
      body: AuthBody,
      answers: { 200: AuthAnswer },
      async handle({ params: { name }, body: { token, returned, state, use }, caller }, reply) {
        const own = changing(name, caller)
        const toolAccess = await access()
        const { auth } = await toolAccess.needs(own)
        if (!auth) throw new AppError('invalid_input', `${name} needs no sign-in`)
        if (auth.how === 'environment') return { status: 'environment' } satisfies z.output<typeof AuthAnswer>
        if (use) return answerStored(await toolAccess.share(own, auth.name, use), caller)
        if (token) return answerStored(await toolAccess.giveToken(own, token), caller)
        if (returned) {
          const ended = await toolAccess.finish(returned, { owner: caller.user, ...(state && { state }) })
          return answerStored(ended, caller)
        }
        if (auth.how === 'oauth') return begin(name, caller, reply)
        throw wrongField('token', `is missing: ${name} signs in with one`)
      },
    }),
    route({
      method: 'POST',
      path: '/api/tools/:name/setup',
      who: 'user',
      summary: 'Store secrets that a tool needs',
      body: SetupBody,
      answers: { 200: SetupAnswer },
      async handle({ params: { name }, body: { secrets = {}, use = {} }, caller }) {
        const own = changing(name, caller)
        const toolAccess = await access()
        const setUp = await toolAccess.setUp(own, secrets)
        const shared: string[] = []
        for (const [secret, from] of Object.entries(use)) {
          shared.push(...(await toolAccess.share(own, secret, from)).secrets)
        }
        const all = { ...setUp, secrets: [...setUp.secrets, ...shared] }
        const continued = await resumeWaiting(all, caller)
        const { setup } = await toolAccess.needs(own)
        const missing = setup.filter(({ optional, set }) => !optional && !set).map((each) => each.name)
        return { stored: [...all.secrets], missing, continued } satisfies z.output<typeof SetupAnswer>
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/tools/:name/secrets/:secret',
      who: 'user',
      summary: 'Remove a secret of a tool, or end its use of another tool’s secret',
      answers: { 204: null },
      async handle({ params: { name, secret }, caller }, reply) {
        if (!(await (await access()).forget(changing(name, caller), secret))) {
          throw new AppError('not_found', `${name} has no such secret of yours`)
        }
        return reply.code(204).send()
      },
    }),
    route({
      method: 'GET',
      path: '/api/shares',
      who: 'user',
      summary: 'List tools that use a secret of another tool',
      answers: { 200: SharesAnswer },
      async handle({ caller: { user } }) {
        return { shares: [...(await (await access()).shares(user))] } satisfies z.output<typeof SharesAnswer>
      },
    }),
    route({
      method: 'GET',
      path: callbackPath,
      // The sign-in cookie identifies the user; the session cookie is not sent on a redirect from another site.
      who: 'anyone',
      summary: 'Return from a tool’s OAuth sign-in',
      handle: (_call, reply) =>
        receiveBrowser(reply, callbackPath, async (by) => {
          const ended = await (await access()).finish(`${here(reply.request)}${reply.request.url}`, by)
          await resumeWaiting(ended, { user: ended.owner, name: 'sign-in' })
          return `${ended.tool} is signed in.`
        }),
    }),
  ]
}

function needsWire({ tool, auth, setup }: ToolNeeds): z.output<typeof NeedsAnswer> {
  return { tool, auth: auth ? signInWire(auth) : null, setup: setup.map(secretWire) }
}

function signInWire(auth: SignIn): z.output<typeof SignInWire> {
  const { prompt: _, optional: __, ...secret } = secretWire({ ...auth, optional: false })
  return {
    ...secret,
    how: auth.how,
    env_var: auth.envVar ?? null,
    display_name: auth.displayName ?? null,
    instructions: auth.instructions ?? null,
    setup_url: auth.setupUrl ?? null,
    token_hint: auth.tokenHint ?? null,
  }
}

function secretWire({
  name,
  prompt,
  optional,
  set,
  setAt,
  sharedFrom,
  offers,
}: NeededSecret): z.output<typeof SecretWire> {
  return {
    name,
    prompt: prompt ?? null,
    optional,
    set: set ?? null,
    set_at: isoTimeOrNull(setAt),
    shared_from: sharedFrom ?? null,
    offers: offers.map(({ tool, hosts }) => ({ tool, hosts: [...hosts] })),
  }
}
