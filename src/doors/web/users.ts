// Users and their tokens, for the operator.
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { dayMs, maxTokenDays, userNamePattern, userNameRule } from '#core/account.ts'
import { AppError } from '#core/errors.ts'
import type { AccountStore } from '#core/store.ts'
import { operatorOnly } from '#http/auth.ts'
import { hashToken, newToken } from '#lib/token.ts'
import { checkBody } from './check.ts'
import { answers, idParam, nothing, type OpenApiPaths, takes } from './openapi.ts'
import { isoTime } from './wire.ts'

const nameFault = `must be ${userNameRule}`
const daysFault = `must be a whole number from 1 to ${maxTokenDays}`

const UserBody = z.object({
  name: z.string().check(z.regex(userNamePattern, nameFault)),
  expires_in_days: z.nullish(z.int(daysFault).check(z.minimum(1, daysFault), z.maximum(maxTokenDays, daysFault))),
})

const UserWire = z.object({ id: z.string(), name: z.string(), created_at: z.string() })
const UsersAnswer = z.object({ users: z.array(z.extend(UserWire, { tokens: z.number() })) })
const UserAnswer = z.object({
  user: UserWire,
  token: z.string(),
  expires_at: z.nullable(z.string()),
})

export type UsersParts = { readonly accounts: AccountStore; readonly now?: () => number }

export function registerUsers(app: FastifyInstance, { accounts, now = Date.now }: UsersParts): void {
  const guarded = { onRequest: operatorOnly }

  app.get('/api/users', guarded, async () => {
    const users = await accounts.listUsers()
    return {
      users: users.map(({ id, name, createdAt, tokens }) => ({ id, name, created_at: isoTime(createdAt), tokens })),
    } satisfies z.output<typeof UsersAnswer>
  })

  app.post('/api/users', guarded, async ({ body }, reply) => {
    const { name, expires_in_days: days } = checkBody(UserBody, body)
    const expiresAt = days ? now() + days * dayMs : undefined
    const token = newToken()
    const { id, createdAt } = await accounts.addUser(name, { hash: hashToken(token), ...(expiresAt && { expiresAt }) })
    return reply.code(201).send({
      user: { id, name, created_at: isoTime(createdAt) },
      token,
      expires_at: expiresAt === undefined ? null : isoTime(expiresAt),
    } satisfies z.output<typeof UserAnswer>)
  })

  app.delete<{ Params: { name: string } }>('/api/users/:name', guarded, async ({ params: { name } }, reply) => {
    if (!(await accounts.removeUser(name))) throw new AppError('not_found', 'no user has this name')
    return reply.code(204).send()
  })
}

export function userPaths(): OpenApiPaths {
  return {
    '/api/users': {
      get: { summary: 'List users (operator)', ...answers(200, UsersAnswer) },
      post: {
        summary: 'Add a user; the token is shown once (operator)',
        ...takes(UserBody),
        ...answers(201, UserAnswer),
      },
    },
    '/api/users/{name}': {
      delete: { summary: 'Remove a user and every token (operator)', ...idParam('name'), ...nothing() },
    },
  }
}
