// Tool calls of a chat-completions answer, put together from their fragments. Each fragment costs what it brings,
// however many came before it: a server decides how many there are.
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

  /** Takes a fragment as it stands in the JSON. Returns what an answer has too much of, when it has. */
  add(value: Record<string, unknown>): string | undefined {
    if (++this.#count > maxFragments) return `${maxFragments} fragments of tool calls`
    const fragment = fragmentIn(value)
    const call = this.#callOf(fragment)
    if (call) {
      if (call.id === '' && fragment.id !== '') this.#byId.set(fragment.id, call)
      call.id ||= fragment.id
      call.name ||= fragment.name
      call.args += fragment.args
      call.depth.read(fragment.args)
      return undefined
    }
    if (this.calls.length === maxCalls) return `${maxCalls} tool calls`
    this.#open(fragment)
    return undefined
  }

  #open(fragment: Fragment): void {
    const call = { ...fragment, depth: new Depth() }
    call.depth.read(fragment.args)
    this.calls.push(call)
    if (call.id !== '') this.#byId.set(call.id, call)
    if (call.index !== undefined) this.#byIndex.set(call.index, call)
  }

  /**
   * The call a fragment continues; undefined when it opens one. Servers disagree: some omit the index or give every call
   * the same, some repeat the name, some mint a new id for every fragment. So a known id decides, and otherwise only a
   * fragment with a name can open a call.
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

/** How deep in its braces a JSON text stands that comes in pieces. */
class Depth {
  #depth = 0
  #opened = false
  #quoted = false
  #escaped = false

  /** The object that the text began has come to its end. */
  get closed(): boolean {
    return this.#opened && this.#depth === 0
  }

  read(text: string): void {
    for (const sign of text) {
      if (this.#quoted) {
        if (sign === '"' && !this.#escaped) this.#quoted = false
        this.#escaped = sign === '\\' && !this.#escaped
      } else if (sign === '"') this.#quoted = true
      else if (sign === '{') {
        this.#depth += 1
        this.#opened = true
      } else if (sign === '}') this.#depth -= 1
    }
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

/** A text, also where it comes as a list of text parts. */
export function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value.map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
}
