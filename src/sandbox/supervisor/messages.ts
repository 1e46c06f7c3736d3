// Checks the messages of a tool's process. The process runs a guest, so none of its output is trusted.
import { isObject } from '#core/json.ts'
import type { LogLine, Result } from '#sandbox/child/guest.ts'
import {
  maxDescriptionBytes,
  maxLogLineBytes,
  maxLogLines,
  maxOutputBytes,
  maxSchemaBytes,
} from '#sandbox/child/limits.ts'
import type { GuestRequest } from '#sandbox/egress/egress.ts'

/** A request from the guest to the host. */
export type HostCall =
  | (GuestRequest & { readonly type: 'request'; readonly id: number })
  | { readonly type: 'workspace'; readonly id: number; readonly path: string }
  | { readonly type: 'invoke'; readonly id: number; readonly alias: string; readonly params: string }

export type Done = { readonly result: Result; readonly logs: readonly LogLine[]; readonly cpuMs: number }

const faultCodes = ['response_invalid', 'output_too_large', 'memory_limit', 'trap'] as const
const levels = ['trace', 'debug', 'info', 'warn', 'error']

/** The host call in a frame, or undefined for another message. Throws when the call is malformed. */
export function readHostCall(head: unknown, body: Buffer): HostCall | undefined {
  if (!isObject(head) || !['request', 'workspace', 'invoke'].includes(text(head.type))) return undefined
  const { id, timeoutMs } = head
  if (typeof id !== 'number') throw new Error('a host call without an id')
  if (head.type === 'workspace') return { type: 'workspace', id, path: text(head.path) }
  if (head.type === 'invoke') return { type: 'invoke', id, alias: text(head.alias), params: body.toString('utf8') }
  return {
    type: 'request',
    id,
    method: text(head.method),
    url: text(head.url),
    headers: text(head.headers),
    ...(head.hasBody === true && { body }),
    ...(typeof timeoutMs === 'number' && { timeoutMs }),
  }
}

/** The log lines in a frame, or undefined for another message. */
export function readLogs(head: unknown): LogLine[] | undefined {
  if (!isObject(head) || head.type !== 'logs' || !Array.isArray(head.lines)) return undefined
  return checkLines(head.lines)
}

/** The end of a job in a frame; undefined for `ready`, the first message of a process. Throws on anything else. */
export function checkDone(head: unknown): Done | undefined {
  if (!isObject(head)) throw new Error('no message')
  if (head.type === 'ready') return undefined
  if (head.type !== 'done') throw new Error('an unknown message')
  const { cpuMs } = head
  return {
    result: checkResult(head.result),
    logs: Array.isArray(head.logs) ? checkLines(head.logs) : [],
    cpuMs: typeof cpuMs === 'number' ? cpuMs : 0,
  }
}

function checkResult(value: unknown): Result {
  if (!isObject(value)) throw new Error('no result')
  switch (value.type) {
    case 'output':
      return { type: 'output', output: text(value.output, maxOutputBytes) }
    case 'error':
      return { type: 'error', error: text(value.error, maxOutputBytes) }
    case 'described':
      return {
        type: 'described',
        schema: text(value.schema, maxSchemaBytes),
        description: text(value.description, maxDescriptionBytes),
      }
    case 'fault': {
      const code = faultCodes.find((each) => each === value.code) ?? 'trap'
      return { type: 'fault', code, message: text(value.message).slice(0, 500) }
    }
    default:
      throw new Error('an unknown result')
  }
}

function checkLines(lines: readonly unknown[]): LogLine[] {
  return lines.slice(0, maxLogLines).map(checkLine)
}

function checkLine(value: unknown): LogLine {
  if (!isObject(value)) return { level: 'info', message: '' }
  const level = text(value.level)
  return { level: levels.includes(level) ? level : 'info', message: text(value.message).slice(0, maxLogLineBytes) }
}

function text(value: unknown, maxBytes?: number): string {
  if (typeof value !== 'string') throw new Error('a text is missing')
  if (maxBytes !== undefined && Buffer.byteLength(value) > maxBytes) throw new Error('a text is too long')
  return value
}
