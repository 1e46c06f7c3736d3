// The rules of the Responses API: the specification's by default, wider where the operator says so.
import type { Values } from './variables.ts'

/** `specified` is what the specification says, `reference` what OpenAI's own service does. */
type Style = 'specified' | 'reference'

type ResponsesRules = {
  /** The most bytes of canonical JSON in a request's `tools`. */
  readonly toolsBytes: number
  /** How to treat a caller's tools that are no functions, or that have a name of a built-in tool. */
  readonly foreignTools: 'refuse' | 'drop'
  /** The events of a streamed function call. */
  readonly events: Style
  /** Fields such as `store` and `background` are ignored, as the specification says, or work as in the reference. */
  readonly fields: Style
}

export type ResponsesConfig = {
  readonly turnTimeoutSecs: number
  readonly externalTools: boolean
  /** A turn stops or goes on when the reader of its stream leaves. */
  readonly disconnect: 'stop' | 'continue'
  readonly rules: ResponsesRules
}

export const specifiedRules: ResponsesRules = {
  toolsBytes: 16 * 1024,
  foreignTools: 'refuse',
  events: 'specified',
  fields: 'specified',
}
/** The choice for coding agents. */
export const appsRules: ResponsesRules = {
  toolsBytes: 256 * 1024,
  foreignTools: 'drop',
  events: 'reference',
  fields: 'reference',
}

/** A variable of its own beats the profile. */
export function responsesOf(values: Values): ResponsesConfig {
  const profile = values.RESPONSES_PROFILE === 'apps' ? appsRules : specifiedRules
  return {
    turnTimeoutSecs: values.RESPONSES_TURN_TIMEOUT_SECS,
    externalTools: values.RESPONSES_EXTERNAL_TOOLS,
    disconnect: values.RESPONSES_DISCONNECT,
    rules: {
      toolsBytes: values.RESPONSES_TOOLS_BYTES ?? profile.toolsBytes,
      foreignTools: values.RESPONSES_FOREIGN_TOOLS ?? profile.foreignTools,
      events: values.RESPONSES_EVENTS ?? profile.events,
      fields: values.RESPONSES_FIELDS ?? profile.fields,
    },
  }
}
