// The operator's desk over the socket: each verb by its name, with its arguments as one JSON object.
import { AppError } from '#core/errors.ts'
import { isObject } from '#core/json.ts'
import type { Part } from '#core/item.ts'
import type { GrantRequest } from '#safety/grant-rules.ts'
import { maxAttachments, picturePart, pictureType } from '#turns/attachments.ts'
import type { Desk } from '#turns/operator.ts'
import type { GateAnswer } from '#turns/gate-answers.ts'
import { textIn } from './fields.ts'

/** Does one verb; undefined when there is none of this name. What it finds nothing for is null. */
export function askDesk(desk: Desk, verb: string, body: unknown): Promise<unknown> | undefined {
  switch (verb) {
    case 'send':
      return desk.send(textIn(body, 'message'), optional(body, 'threadId'), filesIn(body))
    case 'cancel':
      return desk.cancel(textIn(body, 'turnId'))
    case 'answer': {
      const { by: _, ...said } = readGateAnswer(isObject(body) ? body['said'] : undefined, 'operator')
      return desk.answer(textIn(body, 'threadId'), said)
    }
    case 'thread':
      return desk.thread(textIn(body, 'threadId'))
    case 'receipt':
      return desk.receipt(textIn(body, 'turnId'))
    case 'memory':
      return desk.memory(textIn(body, 'query'))
    case 'threads':
    case 'gates':
    case 'status':
    case 'tools':
      return desk[verb]()
    default:
      return undefined
  }
}

/** The two that go on until the signal; undefined when there is none of this name. Throws not_found before it begins. */
export async function followDesk(desk: Desk, verb: string, body: unknown, signal: AbortSignal) {
  if (verb === 'changes') return desk.changes(signal)
  if (verb !== 'watch') return undefined
  const after = isObject(body) ? body['after'] : undefined
  if (typeof after !== 'number') throw new AppError('invalid_input', 'after must be a number', { param: 'after' })
  const threadId = textIn(body, 'threadId')
  if (!(await desk.thread(threadId))) throw new AppError('not_found', `thread ${threadId} does not exist`)
  return desk.watch(threadId, after, signal)
}

/** What somebody says to a gate. */
export function readGateAnswer(given: unknown, by: string): GateAnswer {
  const decision = textIn(given, 'decision')
  if (decision !== 'allow' && decision !== 'deny') throw new AppError('invalid_input', 'decision must be allow or deny')
  const { grantRequest } = given as { grantRequest?: unknown }
  const output = optional(given, 'output')
  return {
    callId: textIn(given, 'callId'),
    by,
    decision,
    ...(output !== undefined && { output }),
    ...(grantRequest !== undefined && { grantRequest: readGrantRequest(grantRequest) }),
  }
}

function readGrantRequest(grantRequest: unknown): GrantRequest {
  const span = textIn(grantRequest, 'for')
  const { scope, untrusted } = grantRequest as { scope?: unknown; untrusted?: unknown }
  const fits = span === 'hour' || span === 'day' || span === 'good'
  const hasScope = scope === undefined || scope === 'tool' || scope === 'target' || scope === 'file'
  if (!fits || !hasScope || (untrusted !== undefined && typeof untrusted !== 'boolean')) {
    const words = 'for (hour, day, good) and may have scope (tool, target, file) and untrusted (true, false)'
    throw new AppError('invalid_input', `grantRequest must have ${words}`, { param: 'grantRequest' })
  }
  return { for: span, ...(scope && { scope }), ...(untrusted !== undefined && { untrusted }) }
}

/** Files that go with a message, as parts of it. */
export function filesIn(body: unknown): Part[] {
  const files = isObject(body) ? (body['files'] ?? []) : []
  if (!Array.isArray(files) || files.length > maxAttachments) {
    throw new AppError('invalid_input', `files must be a list of at most ${maxAttachments}`, { param: 'files' })
  }
  return files.map((file: unknown) => {
    if (isObject(file) && file['type'] === 'file') {
      return { type: 'file', name: textIn(file, 'name'), text: textIn(file, 'text') }
    }
    const [, type = '', data = ''] = /^data:([\w/]+);base64,([\w+/=]+)$/.exec(textIn(file, 'url')) ?? []
    const bytes = Buffer.from(data, 'base64')
    if (type === '' || pictureType(bytes) !== type) {
      throw new AppError('invalid_input', 'files has a picture that no model takes', { param: 'files' })
    }
    return picturePart(type, bytes)
  })
}

function optional(body: unknown, name: string): string | undefined {
  return isObject(body) && body[name] !== undefined ? textIn(body, name) : undefined
}
