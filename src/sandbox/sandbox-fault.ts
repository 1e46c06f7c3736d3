// The faults of the sandbox: one class with a closed list of codes. The transpiling process loads this file, so it must not
// import values from outside the sandbox's folder.
import type { Credential } from '#core/errors.ts'
import type { DialFault } from '#net/dial.ts'

/** Why a component is refused at its install. */
export const installFaultCodes = [
  'component_too_large',
  'component_malformed',
  'not_a_component',
  'interface_missing',
  'import_refused',
  'name_refused',
  'memory_refused',
  'too_many_instances',
  'transpile_timeout',
  'transpile_failed',
  'capabilities_invalid',
  'schema_invalid',
  'not_installed',
] as const

export type ToolFaultCode =
  | (typeof installFaultCodes)[number]
  // during a call
  | 'params_invalid'
  | 'params_too_large'
  | 'time_limit'
  | 'memory_limit'
  | 'output_too_large'
  | 'trap'
  | 'crashed'
  | 'flood'
  | 'response_invalid'
  | 'credential_missing'
  | 'credential_refused'
  | 'sandbox_unavailable'
  /** The tool reported the failure itself; the message is its own text, unchanged. */
  | 'tool_error'

/** A fault of a tool, with a stable code. */
export class ToolFault extends Error {
  readonly code: ToolFaultCode
  /** The missing or refused secret, for the two codes of credentials. */
  readonly credential: Credential | undefined

  constructor(code: ToolFaultCode, message: string, more: { credential?: Credential; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'ToolFault'
    this.code = code
    this.credential = more.credential
  }
}

/** Why the host did not send a request for a guest. A guest of version 0.3 gets `message`, one of 0.4 all three. */
export type RequestFault = {
  readonly code:
    | DialFault['code']
    | 'too_many_requests'
    | 'rate_limited'
    | 'credential_missing'
    | 'secret_in_request'
    | 'request_too_large'
    | 'invalid_request'
  readonly message: string
  /** True once bytes may have reached the server. */
  readonly sent: boolean
}

export function requestFault(code: RequestFault['code'], message: string, sent = false): RequestFault {
  return { code, message, sent }
}
