// Reads and checks the headers of a guest's request.
import { objectIn } from '#core/json.ts'
import { reservedHeaders } from '#sandbox/package/http.ts'
import { maxRequestHeaderBytes } from '#sandbox/child/limits.ts'

const maxHeaders = 64
const token = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/

/** The headers by lower-case name, without those that only the host sets. A string says what is wrong with them. */
export function readHeaders(json: string): ReadonlyMap<string, string> | string {
  if (Buffer.byteLength(json) > maxRequestHeaderBytes) return `the headers are over ${maxRequestHeaderBytes} bytes`
  const value = objectIn(json === '' ? '{}' : json)
  if (!value) return 'headers-json must be a JSON object of texts'
  const entries = Object.entries(value)
  if (entries.length > maxHeaders) return `more than ${maxHeaders} headers`
  const headers = new Map<string, string>()
  for (const [written, content] of entries) {
    const name = written.toLowerCase()
    if (!token.test(name)) return 'a header has a name that is not allowed'
    // With a line break or a character beyond Latin-1, other bytes would be sent than were checked.
    if (typeof content !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(content)) {
      return `the header ${name} is not a text that can be sent`
    }
    if (!reservedHeaders.includes(name) && !name.startsWith('proxy-')) headers.set(name, content.trim())
  }
  return headers
}
