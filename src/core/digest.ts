// The digest of a turn: shows later whether its entries are unchanged since it ended.
import { createHash, hash } from 'node:crypto'
import { isLong, jsonInSlices, sortedKeys } from './json-slices.ts'
import type { Entry, Item } from './item.ts'
import { canonical } from './json.ts'
import type { ModelCall } from './turn.ts'

export interface Digest {
  add(entries: readonly Entry[]): void
  /** The same for long entries, in slices: the caller can yield to the event loop between them. */
  addInSlices(entries: readonly Entry[]): Generator<void>
  /** A digest that goes on by itself. */
  copy(): Digest
  /** Call once, at the end. */
  hex(): string
}

/** SHA-256 over the entries in order, each as one line of canonical JSON. */
export function createDigest(digest = createHash('sha256')): Digest {
  return {
    add(entries) {
      for (const entry of entries) digest.update(lineOf(entry))
    },
    *addInSlices(entries) {
      for (const entry of entries) {
        if (!isLong(entry)) digest.update(lineOf(entry))
        else {
          for (const slice of jsonInSlices(entry, { keysOf: sortedKeys })) {
            digest.update(slice)
            yield
          }
          digest.update('\n')
        }
        yield
      }
    },
    copy: () => createDigest(digest.copy()),
    hex: () => digest.digest('hex'),
  }
}

/** The digest of a complete list of entries. */
export function digestOf(entries: readonly Entry[]): string {
  return hash('sha256', entries.map(lineOf).join(''))
}

/** An entry as canonical JSON. Objects with exactly the usual fields are written in their order, without sorting. */
function lineOf({ id, seq, turnId, at, item, asked }: Entry): string {
  const call = asked === undefined ? '' : `"asked":${callText(asked)},`
  return `{${call}"at":${at},"id":${JSON.stringify(id)},"item":${itemText(item)},"seq":${seq},"turnId":${JSON.stringify(turnId)}}\n`
}

/** The usual item is a message of one text. */
function itemText(item: Item): string {
  const [part, ...more] = item.type === 'message' ? item.content : []
  const usual = part?.type === 'text' && more.length === 0 && fieldsOf(item) === 3 && fieldsOf(part) === 2
  if (!usual || item.type !== 'message') return canonical(item)
  return `{"content":[{"text":${JSON.stringify(part.text)},"type":"text"}],"role":${JSON.stringify(item.role)},"type":"message"}`
}

function callText(call: ModelCall): string {
  const { model, ms, usage, via } = call
  const { cachedTokens, costUsd, inputTokens, outputTokens, reasoningTokens } = usage
  const numbers = ms + cachedTokens + (costUsd ?? 0) + inputTokens + outputTokens + reasoningTokens
  const usual = via && fieldsOf(call) === 4 && fieldsOf(usage) === 5 && Number.isFinite(numbers)
  if (!usual) return canonical(call)
  const counts = `"cachedTokens":${cachedTokens},"costUsd":${costUsd},"inputTokens":${inputTokens},"outputTokens":${outputTokens},"reasoningTokens":${reasoningTokens}`
  return `{"model":${JSON.stringify(model)},"ms":${ms},"usage":{${counts}},"via":${canonical(via)}}`
}

function fieldsOf(value: object): number {
  return Object.keys(value).length
}
