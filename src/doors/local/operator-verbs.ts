// Verbs of the operator client over the local socket, by name. The arguments come as one JSON object.
import { isLocalDoor } from '#core/doors.ts'
import { AppError, wrongField } from '#core/errors.ts'
import { isObject } from '#core/json.ts'
import type { Part } from '#core/item.ts'
import { maxAttachments } from '#core/page-limits.ts'
import type { GrantRequest } from '#safety/grant-rules.ts'
import { picturePart, pictureType } from '#turns/attachments.ts'
import type { OperatorClient, OutgoingMessage } from '#turns/operator-client.ts'
import type { GateAnswer } from '#turns/gate-answers.ts'
import { numberIn, textIn } from './fields.ts'

export type Stream = AsyncIterable<readonly object[]>
export type Signals = {
  /** Aborted when the caller disconnects. */
  readonly left: AbortSignal
  /** Aborted when the door closes. */
  readonly closing: AbortSignal
}
type Verb = (client: OperatorClient, body: unknown, signals: Signals) => Promise<unknown> | Stream

export const operatorVerbs: Readonly<Record<keyof OperatorClient, Verb>> = {
  send: (client, body) => client.send(readMessage(body)),
  answer: (client, body) => client.answer(textIn(body, 'threadId'), readGateAnswer(body)),
  cancel: (client, body) => client.cancel(textIn(body, 'turnId')),
  editQueued: (client, body) => client.editQueued(textIn(body, 'turnId'), textIn(body, 'message')),
  removeQueued: (client, body) => client.removeQueued(textIn(body, 'turnId')),
  stopAll: (client, body) => client.stopAll(textIn(body, 'threadId')),
  thread: (client, body) => client.thread(textIn(body, 'threadId')),
  threads: (client) => client.threads(),
  gates: (client) => client.gates(),
  receipt: (client, body) => client.receipt(textIn(body, 'turnId')),
  status: (client) => client.status(),
  login: (client, body) => client.login(optional(body, 'known')),
  models: (client) => client.models(),
  setModel: (client, body) => client.setModel(textIn(body, 'threadId'), optional(body, 'model') ?? null),
  tools: (client) => client.tools(),
  memory: (client, body) => client.memory(textIn(body, 'query')),
  skills: (client) => client.skills(),
  missions: (client, body) => client.missions(isObject(body) ? body : {}),
  notifications: (client, body) => client.notifications(isObject(body) ? body : {}),
  // Ignores `closing`: a turn that ends during shutdown is still followed to its end.
  follow: (client, body, { left }) => client.follow(textIn(body, 'turnId'), left),
  watch: (client, body, signals) =>
    client.watch(textIn(body, 'threadId'), numberIn(body, 'after'), AbortSignal.any(Object.values(signals))),
  changes: (client, _, signals) => client.changes(AbortSignal.any(Object.values(signals))),
}

function readMessage(body: unknown): OutgoingMessage {
  const door = textIn(body, 'door')
  if (!isLocalDoor(door)) throw new AppError('invalid_input', 'door must be run or terminal')
  return {
    door,
    message: textIn(body, 'message'),
    threadId: optional(body, 'threadId'),
    files: filesIn(body),
    model: optional(body, 'model'),
    command: optional(body, 'command'),
  }
}

function readGateAnswer(body: unknown): Omit<GateAnswer, 'by'> {
  const answer = isObject(body) ? body['answer'] : undefined
  const decision = textIn(answer, 'decision')
  if (decision !== 'allow' && decision !== 'deny') throw new AppError('invalid_input', 'decision must be allow or deny')
  const { grantRequest, values } = answer as { grantRequest?: unknown; values?: unknown }
  const output = optional(answer, 'output')
  return {
    callId: textIn(answer, 'callId'),
    decision,
    ...(output !== undefined && { output }),
    ...(values !== undefined && { values }),
    ...(grantRequest !== undefined && { grantRequest: readGrantRequest(grantRequest) }),
  }
}

function readGrantRequest(grantRequest: unknown): GrantRequest {
  const span = textIn(grantRequest, 'for')
  const { scope, untrusted } = grantRequest as { scope?: unknown; untrusted?: unknown }
  const isSpan = span === 'hour' || span === 'day' || span === 'good'
  const isScope = scope === undefined || scope === 'tool' || scope === 'target' || scope === 'file'
  if (!isSpan || !isScope || (untrusted !== undefined && typeof untrusted !== 'boolean')) {
    const words = 'for (hour, day, good) and may have scope (tool, target, file) and untrusted (true, false)'
    throw wrongField('grantRequest', `must have ${words}`)
  }
  return { for: span, ...(scope && { scope }), ...(untrusted !== undefined && { untrusted }) }
}

/** The attachments of a message, as message parts. */
function filesIn(body: unknown): Part[] {
  const files = isObject(body) ? (body['files'] ?? []) : []
  if (!Array.isArray(files) || files.length > maxAttachments) {
    throw wrongField('files', `must be a list of at most ${maxAttachments}`)
  }
  return files.map((file: unknown) => {
    if (isObject(file) && file['type'] === 'file') {
      return { type: 'file', name: textIn(file, 'name'), text: textIn(file, 'text') }
    }
    const [, type = '', data = ''] = /^data:([\w/]+);base64,([\w+/=]+)$/.exec(textIn(file, 'url')) ?? []
    const bytes = Buffer.from(data, 'base64')
    if (type === '' || pictureType(bytes) !== type) {
      throw wrongField('files', 'has a picture that no model takes')
    }
    return picturePart(type, bytes)
  })
}

function optional(body: unknown, name: string): string | undefined {
  return isObject(body) && body[name] !== undefined ? textIn(body, name) : undefined
}
