// Routes of users and their tokens, for the operator.
import * as z from 'zod/mini'
import {
  type AccountStore,
  maxTokenDays,
  type NewToken,
  tokenToolPattern,
  type User,
  userNamePattern,
  userNameRule,
} from '#core/account.ts'
import { AppError } from '#core/errors.ts'
import { check } from '#http/validate.ts'
import { type Route, route } from '#http/routes.ts'
import { hashToken, newToken } from '#lib/token.ts'
import { RemovedAnswer, TokensAnswer, UserAnswer, UsersAnswer } from '#doors/web/wire/user.ts'
import { dayMs, isoTime, isoTimeOrNull } from '#core/time.ts'
import type { Turns } from '#turns/turns.ts'

const nameFault = `must be ${userNameRule}`
const daysFault = `must be a whole number from 1 to ${maxTokenDays}`
const toolFault = 'must be the name of a tool'
const maxTools = 500

const TokenBody = z.object({
  expires_in_days: z.nullish(z.int(daysFault).check(z.minimum(1, daysFault), z.maximum(maxTokenDays, daysFault))),
  tools: z.nullish(
    z
      .array(z.string().check(z.regex(tokenToolPattern, toolFault)))
      .check(z.maxLength(maxTools, `must have at most ${maxTools} names`)),
  ),
})
const UserBody = z.extend(TokenBody, { name: z.string().check(z.regex(userNamePattern, nameFault)) })

export type UsersParts = {
  readonly turns: Pick<Turns, 'changed' | 'removeUser'>
  readonly accounts: AccountStore
  readonly now?: () => number
}

export function userRoutes({ turns, accounts, now = Date.now }: UsersParts): Route[] {
  /** Makes a token, stores its hash with `store` and returns the token, which is never shown again. */
  async function withToken(
    { expires_in_days: days, tools }: z.output<typeof TokenBody>,
    store: (token: NewToken) => Promise<User>,
  ): Promise<z.output<typeof UserAnswer>> {
    const expiresAt = days ? now() + days * dayMs : undefined
    const token = newToken()
    const { id, name, createdAt } = await store({
      hash: hashToken(token),
      ...(expiresAt && { expiresAt }),
      ...(tools && { tools: [...new Set(tools)] }),
    })
    return {
      user: { id, name, created_at: isoTime(createdAt) },
      token,
      expires_at: isoTimeOrNull(expiresAt),
    }
  }

  return [
    route({
      method: 'GET',
      path: '/api/users',
      who: 'operator',
      summary: 'List users',
      answers: { 200: UsersAnswer },
      async handle() {
        const users = await accounts.listUsers()
        return {
          users: users.map(({ id, name, createdAt, tokens, expiresAt, issuer, seenAt }) => ({
            id,
            name,
            created_at: isoTime(createdAt),
            tokens,
            expires_at: isoTimeOrNull(expiresAt),
            issuer: issuer ?? null,
            last_seen_at: isoTimeOrNull(seenAt),
          })),
        } satisfies z.output<typeof UsersAnswer>
      },
    }),
    route({
      method: 'POST',
      path: '/api/users',
      who: 'operator',
      summary: 'Add a user; the token is shown once',
      body: UserBody,
      answers: { 201: UserAnswer },
      async handle({ body: { name, ...limits } }, reply) {
        return reply.code(201).send(await withToken(limits, (token) => accounts.addUser(name, token)))
      },
    }),
    route({
      method: 'GET',
      path: '/api/users/:name/tokens',
      who: 'operator',
      summary: 'List the tokens of a user, without their values',
      answers: { 200: TokensAnswer },
      async handle({ params: { name } }) {
        const tokens = await accounts.listTokens(name)
        if (!tokens) throw nobody()
        return {
          tokens: tokens.map(({ id, createdAt, expiresAt, tools }) => {
            return {
              id,
              created_at: isoTime(createdAt),
              expires_at: isoTimeOrNull(expiresAt),
              ...(tools && { tools: [...tools] }),
            }
          }),
        } satisfies z.output<typeof TokensAnswer>
      },
    }),
    {
      method: 'POST',
      path: '/api/users/:name/tokens',
      who: 'operator',
      summary: 'Create another token for a user; it is shown once',
      body: TokenBody,
      answers: { 201: UserAnswer },
      async handle(request, reply) {
        const limits = check(TokenBody, request.body ?? {})
        const { name } = request.params as { name: string }
        return reply.code(201).send(await withToken(limits, (token) => accounts.addToken(name, token)))
      },
    },
    route({
      method: 'DELETE',
      path: '/api/users/:name/tokens/:id',
      who: 'operator',
      summary: 'Revoke a token and its sessions',
      answers: { 204: null },
      async handle({ params: { name, id } }, reply) {
        const user = await accounts.removeToken(name, id)
        if (!user) throw new AppError('not_found', 'the token does not exist')
        // Makes live connections check their token again.
        turns.changed(user.id)
        return reply.code(204).send()
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/users/:name',
      who: 'operator',
      summary: 'Remove a user: stop their turns and erase their data',
      answers: { 200: RemovedAnswer },
      async handle({ params: { name } }) {
        const erased = await turns.removeUser(name)
        if (!erased) throw nobody()
        return { name, erased } satisfies z.output<typeof RemovedAnswer>
      },
    }),
  ]
}

function nobody(): AppError {
  return new AppError('not_found', 'no user has this name')
}
