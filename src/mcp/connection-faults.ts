// Faults of a connection to an MCP server, in words.
import { errorMessage } from '#core/errors.ts'
import { isObject } from '#core/json.ts'
import { maskedStart } from '#lib/masked-start.ts'
import { lostCode } from './answer-body.ts'
import { codeOf, type OpenedTransport } from './connect-client.ts'
import { refusedWords } from './http.ts'

const maxMessageChars = 2_000
/** The protocol's code for a call that needs pages to be opened first. */
const pagesCode = -32042
export const closedWords = 'it closed the connection'

/** Why a server cannot be used. Its own words are cut. */
export function wordsOf(error: unknown, opened: OpenedTransport | undefined): string {
  const fault = opened?.fault()
  if (fault !== undefined) return fault
  const code = codeOf(error)
  if (code === 'REQUEST_TIMEOUT') return `it did not answer in time${opened?.lastWords?.() ?? ''}`
  if (code === 'CONNECTION_CLOSED') return closedWords
  const mask = opened?.mask ?? ((text) => text)
  const refused = refusedWords(error, mask)
  if (refused !== undefined) return refused
  // The package lists what each kind of message lacks.
  if (isObject(error) && Array.isArray(error['issues'])) return 'it sent a message that is not of the protocol'
  const message = errorMessage(error)
  return maskedStart(message, maxMessageChars, mask)
}

/** True for an error that the server itself answered with: it no longer works on the call. */
export function isAnswer(error: unknown): boolean {
  const code = codeOf(error)
  return typeof code === 'number' && code !== lostCode
}

/** The pages that a person must open before the call can be made; undefined for other errors. */
export function pagesOf(error: unknown): readonly unknown[] | undefined {
  const data = isObject(error) && error['code'] === pagesCode ? error['data'] : undefined
  const pages = isObject(data) ? data['elicitations'] : undefined
  return Array.isArray(pages) && pages.length > 0 ? pages : undefined
}
