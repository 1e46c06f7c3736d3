// Input that a server asks a person for: forms and pages to open, in both eras of the protocol.
import { AppError } from '#core/errors.ts'
import { readForm, readLink } from '#core/form-schema.ts'
import type { InputAnswer, InputRequest } from '#core/form.ts'
import { isObject, objectIn } from '#core/json.ts'

const maxStateChars = 256 * 1024
const maxRequests = 20

/** Requests that wait for answers, and those that have one. It is stored with the gate. */
export type InputRound = {
  readonly responses: Readonly<Record<string, unknown>>
  readonly waiting: readonly (readonly [key: string, params: unknown])[]
  /** State that the server wants back, as it sent it. */
  readonly state?: string
  /** Pages to open: the call is made again as it was, without answers, once all were opened. */
  readonly pages?: true
}

/** The request as it is shown to a person. Throws tool_refused for one that cannot be shown. */
export function inputRequest(server: string, params: unknown): InputRequest {
  const { message, requestedSchema, url } = isObject(params) ? params : {}
  const request = isPage(params) ? readLink(server, message, url) : readForm(server, message, requestedSchema)
  if (typeof request !== 'string') return request
  throw new AppError('tool_refused', `the MCP server ${server} asks for input that cannot be shown: ${request}`)
}

/** The answer to a request in the words of the protocol. A page that was opened has no content. */
export function protocolAnswer(params: unknown, answer: InputAnswer): Record<string, unknown> {
  if (answer.action === 'decline') return { action: 'decline' }
  return isPage(params) ? { action: 'accept' } : { action: 'accept', content: answer.values }
}

function isPage(params: unknown): boolean {
  return isObject(params) && params['mode'] === 'url'
}

/** The round of a call whose answer asks for input. */
export function roundOf(server: string, requests: unknown, state: unknown): InputRound {
  const entries = isObject(requests) ? Object.entries(requests) : []
  checkCount(server, entries.length)
  const waiting = entries.map(([key, request]) => {
    if (isObject(request) && request['method'] === 'elicitation/create') return [key, request['params']] as const
    throw new AppError('tool_refused', `the MCP server ${server} asks for something that is not offered`)
  })
  return { responses: {}, waiting, ...(typeof state === 'string' && { state }) }
}

/** The round of a call that needs pages to be opened first. */
export function pagesRound(server: string, pages: readonly unknown[]): InputRound {
  checkCount(server, pages.length)
  const waiting = pages.map((page, at) => [String(at), { ...(isObject(page) && page), mode: 'url' }] as const)
  return { responses: {}, waiting, pages: true }
}

function checkCount(server: string, count: number): void {
  if (count > maxRequests)
    throw new AppError('tool_refused', `the MCP server ${server} asks for more than ${maxRequests} inputs at once`)
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

/**
 * The round that a call goes on with once a person has answered; undefined for a call that asked for nothing. Throws
 * tool_refused if a page was not opened.
 */
export function answered(input: InputAnswer | undefined): InputRound | undefined {
  const round = input?.state === undefined ? undefined : (objectIn(input.state) as InputRound | undefined)
  const [first, ...waiting] = round?.waiting ?? []
  if (!input || !round || !first) return undefined
  if (round.pages && input.action === 'decline')
    throw new AppError('tool_refused', 'the user did not open the page that the server asks for: nothing was done')
  const [key, params] = first
  return { ...round, responses: { ...round.responses, [key]: protocolAnswer(params, input) }, waiting }
}
