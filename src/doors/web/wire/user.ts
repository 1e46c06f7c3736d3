// Wire format of users, tokens and sessions.
import * as z from 'zod/mini'

const TokenWire = z.object({
  id: z.string(),
  created_at: z.string(),
  expires_at: z.nullable(z.string()),
  /** The service's tools that turns begun with it may use; all where it is absent. */
  tools: z.optional(z.array(z.string())),
})
export const TokensAnswer = z.object({ tokens: z.array(TokenWire) })

const NamedUser = z.object({ id: z.string(), name: z.string(), created_at: z.string() })
const UserWire = z.extend(NamedUser, {
  tokens: z.number(),
  /** When the user's last token expires; null when one never expires, or there is none. */
  expires_at: z.nullable(z.string()),
  /** The OpenID issuer that the user signs in through, if any. */
  issuer: z.nullable(z.string()),
  /** Time of the user's last message, or of the last use of an open session; null when there is neither. */
  last_seen_at: z.nullable(z.string()),
})
export const UsersAnswer = z.object({ users: z.array(UserWire) })

/** A user with a new token, which is shown only this once. */
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
    skills: z.number(),
    files: z.number(),
  }),
})

export const SessionAnswer = z.object({
  /** The name of a user who was removed may be given to another one; the id is not. */
  user_id: z.string(),
  user: z.string(),
  operator: z.boolean(),
  /** Null for a caller with a token instead of a session. */
  expires_at: z.nullable(z.string()),
})

/** A token of a user, without its value, which is never shown again. */
export type Token = z.output<typeof TokenWire>
export type TokenList = z.output<typeof TokensAnswer>
export type UserList = z.output<typeof UsersAnswer>
export type NewUser = z.output<typeof UserAnswer>
export type User = z.output<typeof UserWire>
export type Session = z.output<typeof SessionAnswer>
