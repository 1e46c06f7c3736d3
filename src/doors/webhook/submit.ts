// A submission: the checked body of POST /webhook, and the turn it starts.
import { hash } from 'node:crypto'
import { wrongField } from '#core/errors.ts'
import { senderId } from '#core/doors.ts'
import { type Message, textMessage } from '#core/item.ts'
import { canonical, charCount, isObject, type Json, type JsonObject } from '#core/json.ts'
import type { Idempotency } from '#core/turn-store.ts'
import { readIdempotencyKey } from '#http/idempotency-key.ts'
import { hasRawNumbers, isRawNumber } from '#http/lossless-json.ts'
import { checkMessage } from '#turns/message.ts'
import type { StartTurn } from '#turns/turns.ts'
import { checkStorable, checkText } from './json.ts'

const maxIdLength = 200

export type Submission = {
  readonly userId: string
  readonly message: string
  /** Text that others wrote. It goes with the message, but the agent must not read it as the sender's own words. */
  readonly outside?: { readonly text: string; readonly origin: string }
  readonly conversationId?: string
  readonly metadata?: JsonObject
  /** A retry with the same key is the same job. */
  readonly key?: string
}

/** True for a body with the required fields of a message. No event of a code host has them. */
export function isMessage(body: JsonObject): boolean {
  return body['user_id'] != null && body['message'] != null
}

/** Reads a submission. Unknown fields are ignored, null means absent. Throws invalid_input. */
export function readSubmission(body: JsonObject, idempotencyKey: string | undefined): Submission {
  const message = body['message'] ?? undefined
  const conversation = body['conversation_id'] ?? undefined
  const metadata = body['metadata'] ?? undefined
  const user = readId(body['user_id'] ?? undefined, 'user_id')
  if (message === undefined) throw wrongField('message', 'is missing')
  if (typeof message !== 'string') throw wrongField('message', 'must be a string')
  checkText(message, 'message')
  checkMessage(message)
  return {
    userId: user,
    message,
    ...(conversation !== undefined && { conversationId: readId(conversation, 'conversation_id') }),
    ...(metadata !== undefined && { metadata: readMetadata(metadata) }),
    ...(idempotencyKey !== undefined && { key: readIdempotencyKey(idempotencyKey) }),
  }
}

/**
 * The turn of a submission. Its user id is always in the channel's own namespace. A signature covers the body and no
 * header, so the idempotency key of a signed delivery is its body: a replay by an attacker starts no second job.
 */
export function turnOf(submission: Submission, signed?: Buffer): StartTurn {
  const { userId: user, conversationId, metadata } = submission
  const idempotency = signed ? bySignedBody(signed) : byKey(submission)
  return {
    user: senderId('webhook', user),
    door: 'webhook',
    ...(conversationId !== undefined && { threadKey: conversationId }),
    input: [messageOf(submission)],
    // Stored as text where plain numbers would lose digits.
    options: metadata ? { echo: { metadata: hasRawNumbers(metadata) ? JSON.stringify(metadata) : metadata } } : {},
    whenBusy: 'queue',
    ...(idempotency && { idempotency }),
  }
}

function bySignedBody(body: Buffer): Idempotency {
  const digest = hash('sha256', body)
  return { key: `body:${digest}`, bodyHash: digest }
}

function messageOf({ message, outside }: Submission): Message {
  if (!outside) return textMessage('user', message)
  return textMessage('user', `${message}\n\n`, [{ type: 'text', ...outside }])
}

function byKey({ key, message, outside, conversationId, metadata }: Submission): Idempotency | undefined {
  if (key === undefined) return undefined
  const text = outside && { outside: outside.text }
  const content = { message, ...text, conversationId: conversationId ?? null, metadata: metadata ?? null }
  return { key, bodyHash: hash('sha256', canonical(content)) }
}

function readId(value: Json | undefined, field: string): string {
  if (value === undefined) throw wrongField(field, 'is missing')
  if (typeof value !== 'string') throw wrongField(field, 'must be a string')
  checkText(value, field)
  const characters = charCount(value)
  if (characters < 1 || characters > maxIdLength) throw wrongField(field, `must have 1 to ${maxIdLength} characters`)
  return value
}

function readMetadata(value: Json): JsonObject {
  if (!isObject(value) || isRawNumber(value)) throw wrongField('metadata', 'must be an object')
  checkStorable(value, 'metadata')
  return value
}
