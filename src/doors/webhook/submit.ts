// A submission: the body of POST /webhook, checked, and the turn that it asks for.
import { hash } from 'node:crypto'
import { senderId } from '#core/doors.ts'
import { type Message, textMessage } from '#core/item.ts'
import { canonical, isObject, type Json, type JsonObject } from '#core/json.ts'
import type { Idempotency } from '#core/store.ts'
import { wrongField } from '#http/validate.ts'
import { holdsExact } from '#http/lossless-json.ts'
import { checkMessage } from '#turns/message.ts'
import type { StartTurn } from '#turns/turns.ts'
import { checkKept, checkText } from './json.ts'

const maxIdLength = 200
const maxKeyLength = 255

export type Submission = {
  readonly userId: string
  readonly message: string
  /** What others wrote, which is told with the message: none of it is its sender's own word. */
  readonly outside?: { readonly text: string; readonly origin: string }
  readonly conversationId?: string
  readonly metadata?: JsonObject
  /** A retry with the same key is the same job. */
  readonly key?: string
}

/** Reads a message per the specification. Unknown fields are ignored, null stands for absent. Throws invalid_input. */
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
    ...(idempotencyKey !== undefined && { key: readKey(idempotencyKey, 'Idempotency-Key') }),
  }
}

/**
 * The turn of a submission. Its user lives in the channel's own namespace, whatever the name says. A signature covers
 * the body and no header: a signed delivery is known by its body, so that whoever caught one cannot make it a second job.
 */
export function turnOf(submission: Submission, signed?: Buffer): StartTurn {
  const { userId: user, conversationId, metadata } = submission
  const idempotency = signed ? bySignedBody(signed) : byKey(submission)
  return {
    user: senderId('webhook', user),
    door: 'webhook',
    ...(conversationId !== undefined && { threadKey: conversationId }),
    input: [messageOf(submission)],
    // The text where plain numbers would not say the same.
    options: metadata ? { echo: { metadata: holdsExact(metadata) ? JSON.stringify(metadata) : metadata } } : {},
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
  const told = outside && { outside: outside.text }
  const sent = { message, ...told, conversationId: conversationId ?? null, metadata: metadata ?? null }
  return { key, bodyHash: hash('sha256', canonical(sent)) }
}

/** Checks a key that came in a header. An empty one would make one job of all that send it so. */
export function readKey(key: string, header: string): string {
  if (key.length >= 1 && key.length <= maxKeyLength) return key
  throw wrongField(header, `must have 1 to ${maxKeyLength} characters`)
}

function readId(value: Json | undefined, field: string): string {
  if (value === undefined) throw wrongField(field, 'is missing')
  if (typeof value !== 'string') throw wrongField(field, 'must be a string')
  checkText(value, field)
  const characters = Array.from(value).length
  if (characters < 1 || characters > maxIdLength) throw wrongField(field, `must have 1 to ${maxIdLength} characters`)
  return value
}

function readMetadata(value: Json): JsonObject {
  if (!isObject(value)) throw wrongField('metadata', 'must be an object')
  checkKept(value, 'metadata')
  return value
}
