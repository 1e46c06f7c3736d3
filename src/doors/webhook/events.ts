// Events of a code host as submissions: sender, conversation, and the message for the agent.
import { wrongField } from '#core/errors.ts'
import { isObject, type Json, type JsonObject } from '#core/json.ts'
import { eventOrigin } from '#core/origins.ts'
import { readIdempotencyKey } from '#http/idempotency-key.ts'
import { isRawNumber } from '#http/lossless-json.ts'
import type { Submission } from './submit.ts'
import { summarize } from './summary.ts'

const eventName = /^[a-z][a-z0-9_]{0,63}$/
/** Names that become part of ids. The rules of a code host are stricter. */
const accountName = /^[\w.[\]-]{1,100}$/
const repositoryName = /^[\w.-]{1,100}\/[\w.-]{1,100}$/
const actionName = /^[a-z_]{1,50}$/

/** Reads an event as a submission. Throws invalid_input. */
export function readEvent(event: string, delivery: string | undefined, payload: JsonObject): Submission {
  if (!eventName.test(event)) throw wrongField('X-GitHub-Event', 'must be the name of an event, such as push')
  const sender = match(accountName, payload, 'sender', 'login') ?? 'unknown'
  const repository = match(repositoryName, payload, 'repository', 'full_name')
  const action = match(actionName, payload, 'action')
  const number = numberOf(payload)
  const scope = repository ?? match(accountName, payload, 'organization', 'login') ?? 'github'
  const conversationId = number === undefined ? scope : `${scope}#${number}`
  return {
    userId: `github:${sender}`,
    conversationId,
    message: `An event of the code host: ${event}${action ? ` (${action})` : ''}.`,
    outside: { text: describeEvent({ event, sender, conversationId, payload }), origin: eventOrigin },
    metadata: { event, ...(action && { action }), repository: repository ?? null, ...(delivery && { delivery }) },
    ...(delivery !== undefined && { key: readIdempotencyKey(delivery, 'X-GitHub-Delivery') }),
  }
}

type EventDetails = {
  readonly event: string
  readonly sender: string
  readonly conversationId: string
  readonly payload: JsonObject
}

/**
 * The untrusted text of an event. Names of people and repositories belong here, because others choose them; the trusted
 * message names only the kind of the event.
 */
function describeEvent({ event, sender, conversationId, payload }: EventDetails): string {
  const text = `In ${conversationId}, sent by ${sender}.\n\n${summarize(event, payload)}\n\nPayload:\n${JSON.stringify(slim(payload))}`
  return text.replaceAll('\0', '\u{fffd}').toWellFormed()
}

/** The number of the issue, pull request or discussion that an event is about. */
function numberOf(payload: JsonObject): number | undefined {
  const subjects = [payload['pull_request'], payload['issue'], payload['discussion'], payload]
  const numbers = subjects.map((each) => (isObject(each) ? each['number'] : undefined))
  return numbers.find((number): number is number => Number.isSafeInteger(number) && Number(number) > 0)
}

function match(pattern: RegExp, payload: JsonObject, ...path: readonly string[]): string | undefined {
  let value: unknown = payload
  for (const key of path) value = isObject(value) ? value[key] : undefined
  return typeof value === 'string' && pattern.test(value) ? value : undefined
}

/** The payload without fields that only a program needs (API links, node ids) and without null fields. */
function slim(value: Json): Json {
  if (Array.isArray(value)) return value.map((each: Json) => slim(each))
  if (!isObject(value) || isRawNumber(value)) return value
  const fields = Object.entries(value).filter(([key, each]) => each !== null && !isForPrograms(key))
  return Object.fromEntries(fields.map(([key, each]) => [key, slim(each)]))
}

function isForPrograms(key: string): boolean {
  return (key.endsWith('_url') && key !== 'html_url') || ['url', 'node_id', 'gravatar_id', '_links'].includes(key)
}
