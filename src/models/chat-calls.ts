// Tool calls of a chat-completions answer, assembled from fragments. The server decides how many there are, so the work
// for each fragment must not grow with the number before it.
import { isObject } from '#core/json.ts'
import { maxCalls } from '#core/model.ts'

/** More fragments than the longest answer of any model has tokens. */
const maxFragments = 200_000

type OpenCall = { readonly index: number | undefined; id: string; name: string; args: string; readonly depth: Depth }
type Fragment = Pick<OpenCall, 'index' | 'id' | 'name' | 'args'>

export class CallFragments {
  readonly calls: OpenCall[] = []
  readonly #byId = new Map<string, OpenCall>()
  readonly #byIndex = new Map<number, OpenCall>()
  #count = 0

  /** Adds a fragment as parsed from JSON. Returns the limit that the answer exceeds, if it does. */
  add(value: Record<string, unknown>): string | undefined {
    if (++this.#count > maxFragments) return `${maxFragments} fragments of tool calls`
    const fragment = fragmentIn(value)
    const call = this.#callOf(fragment)
    if (call) {
      if (call.id === '' && fragment.id !== '') this.#byId.set(fragment.id, call)
      call.id ||= fragment.id
      call.name ||= fragment.name
      call.args += fragment.args
      call.depth.add(fragment.args)
      return undefined
    }
    if (this.calls.length === maxCalls) return `${maxCalls} tool calls`
    this.#open(fragment)
    return undefined
  }

  #open(fragment: Fragment): void {
    const call = { ...fragment, depth: new Depth() }
    call.depth.add(fragment.args)
    this.calls.push(call)
    if (call.id !== '') this.#byId.set(call.id, call)
    if (call.index !== undefined) this.#byIndex.set(call.index, call)
  }

  /**
   * The call that a fragment continues; undefined when it opens a new one. Servers disagree: some omit the index or use
   * one index for all calls, some repeat the name, some send a new id with every fragment. So a known id decides;
   * otherwise only a fragment with a name can open a call.
   */
  #callOf({ index, id, name, args }: Fragment): OpenCall | undefined {
    const known = this.#byId.get(id)
    if (known) return known
    const latest = this.calls.at(-1)
    const current = index === undefined ? latest : this.#byIndex.get(index)
    if (name === '') return current ?? latest
    if (!current || (id !== '' && current.id !== '')) return undefined
    const again = current.name === '' || current.name === name
    return again && (args === '' || !current.depth.closed) ? current : undefined
  }
}

const [quote, backslash, openBrace, closeBrace] = [0x22, 0x5c, 0x7b, 0x7d]

/** The brace depth of a JSON text that arrives in pieces. They are read when it is asked for: few servers repeat names. */
class Depth {
  #unread: string[] = []
  #depth = 0
  #opened = false
  #quoted = false
  /** The next character is escaped. */
  #escaped = false

  add(piece: string): void {
    this.#unread.push(piece)
  }

  /** The object that the text opened is complete. */
  get closed(): boolean {
    for (const piece of this.#unread) this.#read(piece)
    this.#unread = []
    return this.#opened && this.#depth === 0
  }

  #read(text: string): void {
    let quoted = this.#quoted
    let at = this.#escaped && text !== '' ? 1 : 0
    for (; at < text.length; at++) {
      const sign = text.charCodeAt(at)
      if (sign === quote) quoted = !quoted
      else if (sign === backslash && quoted) at++
      else if (sign === openBrace && !quoted) {
        this.#depth++
        this.#opened = true
      } else if (sign === closeBrace && !quoted) this.#depth--
    }
    this.#quoted = quoted
    this.#escaped = at > text.length || (this.#escaped && text === '')
  }
}

function fragmentIn(value: Record<string, unknown>): Fragment {
  const called = isObject(value['function']) ? value['function'] : {}
  const { index, id } = value
  const { name, arguments: args } = called
  return {
    index: typeof index === 'number' ? index : undefined,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    args: isObject(args) ? JSON.stringify(args) : textIn(args),
  }
}

/** The text of a string or of a list of text parts. */
export function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value.map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
}
