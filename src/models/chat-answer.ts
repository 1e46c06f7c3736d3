// A chat-completions answer, streamed or whole, turned into model events.
import { isObject, objectIn } from '#core/json.ts'
import type { ModelEvent } from '#core/model.ts'
import { tokenCount } from '#core/tokens.ts'
import { noUsage, type Usage } from '#core/turn.ts'
import { CallFragments, textIn } from './chat-calls.ts'
import type { Fault, Faults } from './fault.ts'
import { excessIn } from './line-bounds.ts'
import { dataStart, LineCutter } from './chat-lines.ts'
import type { PriceOf } from './price.ts'

const contentKey = /"content": ?"/
const newlineCode = 0x0a
const minCutChars = 13

export type AnswerParts = {
  readonly faults: Faults
  readonly maxLineBytes: number
  readonly priceOf: PriceOf | undefined
}

/**
 * Reads one answer. Each method appends to `events` what it found, and returns the fault that ended the answer, if any.
 * Events found before a fault remain valid.
 */
export class ChatAnswer {
  /** The `done` event was emitted: no more events follow. */
  done = false
  readonly #parts: AnswerParts
  readonly #lines: LineCutter
  readonly #fragments = new CallFragments()
  /** Undefined until the server reports it; some never do. */
  #usage: Usage | undefined
  #sawData = false
  #finished = false
  #truncated = false
  // The line around the latest plain text delta. Servers repeat it for every token: a line that differs only in a text
  // without quotes and backslashes needs no JSON.parse.
  #before = ''
  #after = ''

  constructor(parts: AnswerParts) {
    this.#parts = parts
    this.#lines = new LineCutter(parts.maxLineBytes)
  }

  /** Takes the next bytes of a stream. */
  read(bytes: Buffer, events: ModelEvent[]): Fault | undefined {
    const fault = this.#readLines(this.#lines.push(bytes), events)
    if (fault || this.done || !this.#lines.overlong) return fault
    return this.#parts.faults.overlong(this.#parts.maxLineBytes)
  }

  /** The stream is over. */
  end(contentType: string, events: ModelEvent[]): Fault | undefined {
    const fault = this.#readLines(this.#lines.rest(), events)
    if (fault || this.done) return fault
    if (this.#finished) return this.#finish(events)
    if (!this.#sawData && !contentType.includes('event-stream')) return this.#parts.faults.notChat(contentType)
    return this.#parts.faults.cutOff()
  }

  /** Takes the one JSON body of a server that does not stream. */
  whole(body: string, events: ModelEvent[]): Fault | undefined {
    const fault = this.#readJson(body.replace(/^\ufeff/, ''), events)
    if (fault) return fault
    return this.#sawData ? this.#finish(events) : this.#parts.faults.unreadable(body)
  }

  #readLines(text: string, events: ModelEvent[]): Fault | undefined {
    for (let from = 0; from < text.length && !this.done; ) {
      // An empty line stands between two events.
      if (text.charCodeAt(from) === newlineCode) {
        from++
        continue
      }
      const newline = text.indexOf('\n', from)
      const end = newline === -1 ? text.length : newline
      if (end - from > this.#parts.maxLineBytes) return this.#parts.faults.overlong(this.#parts.maxLineBytes)
      const fault = this.#readPlainText(text, from, end, events) ? undefined : this.#readLine(text, from, end, events)
      if (fault) return fault
      from = end + 1
    }
    return undefined
  }

  #readPlainText(text: string, from: number, end: number, events: ModelEvent[]): boolean {
    // Slices are compared as memory; startsWith and endsWith go character by character, as slow as JSON.parse.
    const start = from + this.#before.length
    const stop = end - this.#after.length
    if (this.#before === '' || stop <= start) return false
    if (text.slice(from, start) !== this.#before || text.slice(stop, end) !== this.#after) return false
    const token = text.slice(start, stop)
    if (token.includes('"') || token.includes('\\')) return false
    events.push({ type: 'text', text: ownCopy(token) })
    return true
  }

  #readLine(text: string, from: number, end: number, events: ModelEvent[]): Fault | undefined {
    const start = dataStart(text, from)
    if (start === -1) return undefined
    if (text.startsWith('[DONE]', start)) return this.#finish(events)
    const data = text.slice(start, end)
    if (data.trim() === '') return undefined
    const count = events.length
    const fault = this.#readJson(data, events)
    const event = events[count]
    if (!fault && events.length === count + 1 && event?.type === 'text') this.#learn(text.slice(from, end), event.text)
    return fault
  }

  /** Remembers the text around this token, in a line that carries nothing else. */
  #learn(line: string, token: string): void {
    const key = contentKey.exec(line)
    if (!key || this.#finished || this.#fragments.calls.length > 0) return
    const start = key.index + key[0].length
    const after = line.slice(start + token.length)
    if (!line.startsWith(token, start) || !after.startsWith('"') || contentKey.test(after)) return
    this.#before = ownCopy(line.slice(0, start))
    this.#after = ownCopy(after)
  }

  #readJson(data: string, events: ModelEvent[]): Fault | undefined {
    const { faults } = this.#parts
    const excess = excessIn(data)
    if (excess) return faults.tooMuch(excess)
    const chunk: Record<string, unknown> | undefined = objectIn(data)
    if (!chunk) return faults.unreadable(data)
    if (chunk['error']) return faults.fromError(chunk['error'])
    const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined
    if (Array.isArray(chunk['choices'])) this.#sawData = true
    if (isObject(chunk['usage'])) this.#usage = usageIn(chunk['usage'])
    if (!isObject(choice)) return undefined
    if (isObject(choice['usage'])) this.#usage = usageIn(choice['usage'])
    const delta = choice['delta'] ?? choice['message']
    const fault = isObject(delta) ? this.#readDelta(delta, events) : undefined
    if (fault) return fault
    const reason = choice['finish_reason']
    if (reason === 'content_filter') return faults.filtered()
    if (reason === 'error') return faults.cutOff()
    if (typeof reason === 'string' && reason !== '') this.#finished = true
    this.#truncated ||= reason === 'length'
    return undefined
  }

  #readDelta(delta: Record<string, unknown>, events: ModelEvent[]): Fault | undefined {
    const reasoning = textIn(delta['reasoning_content']) || textIn(delta['reasoning'])
    if (reasoning !== '') events.push({ type: 'reasoning', text: reasoning })
    const text = textIn(delta['content']) + textIn(delta['refusal'])
    if (text !== '') events.push({ type: 'text', text })
    const calls: readonly unknown[] = Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : []
    for (const call of calls) {
      const excess = isObject(call) ? this.#fragments.add(call) : undefined
      if (excess) return this.#parts.faults.tooMuch(excess)
    }
    return undefined
  }

  #finish(events: ModelEvent[]): Fault | undefined {
    for (const { name, args } of this.#fragments.calls) {
      if (name === '') return this.#parts.faults.nameless()
      events.push({ type: 'call', name, args: args.trim() === '' ? '{}' : args })
    }
    const { priceOf } = this.#parts
    const counts = this.#usage ?? noUsage
    // Without counts the cost of a model with a price is unknown.
    const usage = priceOf ? { ...counts, costUsd: this.#usage ? priceOf(counts) : null } : counts
    events.push({ type: 'done', usage, ...(this.#truncated && { stop: 'length' }) })
    this.done = true
    return undefined
  }
}

/** V8 keeps the whole text of a read in memory for 13 letters that were cut out of it; fewer it copies. */
function ownCopy(cut: string): string {
  return cut.length < minCutChars ? cut : Buffer.from(cut).toString()
}

function usageIn(usage: Record<string, unknown>): Usage {
  const prompt = isObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {}
  const completion = isObject(usage['completion_tokens_details']) ? usage['completion_tokens_details'] : {}
  return {
    inputTokens: tokenCount(usage['prompt_tokens']),
    cachedTokens: tokenCount(prompt['cached_tokens']),
    outputTokens: tokenCount(usage['completion_tokens']),
    reasoningTokens: tokenCount(completion['reasoning_tokens']),
    costUsd: 0,
  }
}
