// The faults of the sandbox: one class, one closed list of codes. The transpiling process loads this file, and may read
// nothing outside the sandbox's folder.
import type { DialFault } from '#net/dial.ts'

export type ToolFaultCode =
  // refused at install
  | 'component_too_large'
  | 'component_malformed'
  | 'not_a_component'
  | 'interface_missing'
  | 'import_refused'
  | 'name_refused'
  | 'memory_refused'
  | 'too_many_instances'
  | 'transpile_timeout'
  | 'transpile_failed'
  | 'capabilities_invalid'
  | 'schema_invalid'
  | 'not_installed'
  // a call
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
  /** The tool itself said that it failed; the message is its own text, unchanged. */
  | 'tool_error'

/** A fault of a tool, with a stable code. `secret` names what is missing, or was refused, when the code says so. */
export class ToolFault extends Error {
  readonly code: ToolFaultCode
  readonly secret: string | undefined
  readonly tool: string | undefined
  /** What the author of the tool calls the service that takes the secret. */
  readonly title: string | undefined
  /** The command that brings the secret. */
  readonly command: string | undefined

  constructor(
    code: ToolFaultCode,
    message: string,
    more: { secret?: string; tool?: string; title?: string | undefined; command?: string; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'ToolFault'
    this.code = code
    this.secret = more.secret
    this.tool = more.tool
    this.title = more.title
    this.command = more.command
  }
}

/** Why the host did not do a request for a guest. The guest reads `message`; version 0.4 also `kind` and `code`. */
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
