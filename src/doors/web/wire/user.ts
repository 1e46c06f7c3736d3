// Users, their tokens and sessions on the wire.
import * as z from 'zod/mini'

const TokenWire = z.object({ id: z.string(), created_at: z.string(), expires_at: z.nullable(z.string()) })
export const TokensAnswer = z.object({ tokens: z.array(TokenWire) })

const NamedUser = z.object({ id: z.string(), name: z.string(), created_at: z.string() })
const UserWire = z.extend(NamedUser, {
  tokens: z.number(),
  /** When the last of their tokens ends; null where one never does, or there is none. */
  expires_at: z.nullable(z.string()),
  /** Who vouches for them, where somebody does. */
  issuer: z.nullable(z.string()),
  /** Their last message, or the last use of a session that has not ended; null where there is neither. */
  last_seen_at: z.nullable(z.string()),
})
export const UsersAnswer = z.object({ users: z.array(UserWire) })

/** A user with a new token, which is shown this once. */
export const UserAnswer = z.object({
  user: NamedUser,
  token: z.string(),
  expires_at: z.nullable(z.string()),
})

export const RemovedAnswer = z.object({
  name: z.string(),
  erased: z.object({
    threads: z.number(),
    turns: z.number(),
    items: z.number(),
    documents: z.number(),
    grants: z.number(),
    secrets: z.number(),
    files: z.number(),
  }),
})

export const SessionAnswer = z.object({
  user: z.string(),
  operator: z.boolean(),
  /** Null for a caller with a token instead of a session. */
  expires_at: z.nullable(z.string()),
})

/** A token of a user; itself it is never shown again. */
export type Token = z.output<typeof TokenWire>
export type TokenList = z.output<typeof TokensAnswer>
export type UserList = z.output<typeof UsersAnswer>
export type NewUser = z.output<typeof UserAnswer>
export type User = z.output<typeof UserWire>
export type Session = z.output<typeof SessionAnswer>
