// Errors in the envelope of the OpenAI API.
import type { FaultBody } from '#http/reply.ts'

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** `{error: {message, type, param, code}}` */
export const errorEnvelope: FaultBody = ({ code, message, param = null }, status) => {
  const type = types[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
  return { error: { message, type, param, code } }
}
