// The headers a guest hands in: a JSON object of texts, of which only the harmless part reaches the wire.
import { objectIn } from '#core/json.ts'
import { hostHeaders } from '#sandbox/package/http.ts'
import { maxRequestHeaderBytes } from '#sandbox/child/limits.ts'

const maxHeaders = 64
const token = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/

/** The headers by lower-case name; a text tells what is wrong with them. What only the host may set is left out. */
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
    // One character beyond Latin-1 or one line break, and what is sent is not what was checked.
    if (typeof content !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(content)) {
      return `the header ${name} is not a text that can be sent`
    }
    if (!hostHeaders.includes(name) && !name.startsWith('proxy-')) headers.set(name, content.trim())
  }
  return headers
}
