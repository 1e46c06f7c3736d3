// Input that a server asks a person for: forms and pages to open, in both eras of the protocol.
import { AppError } from '#core/errors.ts'
import { readForm, readLink } from '#core/form-schema.ts'
import type { InputAnswer, InputRequest } from '#core/form.ts'
import { isObject, objectIn } from '#core/json.ts'

const maxStateChars = 256 * 1024
const maxRequests = 20

/** Requests of the newer era that wait for answers, and those that have one. It is stored with the gate. */
export type InputRound = {
  readonly responses: Readonly<Record<string, unknown>>
  readonly waiting: readonly (readonly [key: string, params: unknown])[]
  /** State that the server wants back, as it sent it. */
  readonly state?: string
}

/** The request as it is shown to a person. Throws tool_refused for one that cannot be shown. */
export function inputRequest(server: string, params: unknown): InputRequest {
  const { mode, message, requestedSchema, url } = isObject(params) ? params : {}
  const request = mode === 'url' ? readLink(server, message, url) : readForm(server, message, requestedSchema)
  if (typeof request !== 'string') return request
  throw new AppError('tool_refused', `the MCP server ${server} asks for input that cannot be shown: ${request}`)
}

/** The answer in the words of the protocol. */
export function protocolAnswer(answer: InputAnswer): Record<string, unknown> {
  return answer.action === 'accept' ? { action: 'accept', content: answer.values } : { action: 'decline' }
}

/** The round of a call whose answer asks for input. */
export function roundOf(server: string, requests: unknown, state: unknown): InputRound {
  const entries = isObject(requests) ? Object.entries(requests) : []
  if (entries.length > maxRequests)
    throw new AppError('tool_refused', `the MCP server ${server} asks for more than ${maxRequests} inputs at once`)
  const waiting = entries.map(([key, request]) => {
    if (isObject(request) && request['method'] === 'elicitation/create') return [key, request['params']] as const
    throw new AppError('tool_refused', `the MCP server ${server} asks for something that is not offered`)
  })
  return { responses: {}, waiting, ...(typeof state === 'string' && { state }) }
}

/** Throws input_required for the first request of the round that waits. The call is run again with the answer. */
export function askFirst(server: string, round: InputRound): void {
  const [first] = round.waiting
  if (!first) return
  const request = inputRequest(server, first[1])
  const state = JSON.stringify(round)
  if (state.length > maxStateChars)
    throw new AppError('tool_refused', `the MCP server ${server} asks for input with too much state`)
  throw new AppError('input_required', `the MCP server ${server} asks for input`, { input: { request, state } })
}

/** The round that a call goes on with once a person has answered; undefined for a call that asked for nothing. */
export function answered(input: InputAnswer | undefined): InputRound | undefined {
  const round = input?.state === undefined ? undefined : (objectIn(input.state) as InputRound | undefined)
  const [first, ...waiting] = round?.waiting ?? []
  if (!input || !round || !first) return undefined
  return { ...round, responses: { ...round.responses, [first[0]]: protocolAnswer(input) }, waiting }
}
