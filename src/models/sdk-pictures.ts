// Large pictures in requests of the AI SDK packages. A package writes the body of its request at once, so it gets a short
// mark in place of each large picture; the pictures are put into the body in slices.
import { randomUUID } from 'node:crypto'
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { textInSlices } from '#core/json-slices.ts'
import { nextTurn, pace } from '#lib/pace.ts'

/** Smaller ones are left to the package. */
const minMarkedChars = 256 * 1024

/** The pictures of one request. Disposed of when the request has ended. */
export interface MarkedPictures extends Disposable {
  /** The messages with marks in place of large pictures. */
  readonly mark: (messages: readonly LanguageModelV4Message[]) => LanguageModelV4Message[]
}

export interface SdkPictures {
  open(): MarkedPictures
  /** A body with the pictures in place of their marks; undefined if it has none. */
  readonly fill: (body: string) => Promise<Blob> | undefined
}

export function createSdkPictures(): SdkPictures {
  /** Nobody else can know it: no text of a request has a mark by chance. */
  const prefix = `picture-${randomUUID()}-`
  const pattern = new RegExp(`${prefix}(\\d+)\\.`)
  const pictures = new Map<number, string>()
  let last = 0

  function markOf(data: string, numbers: number[]): string {
    numbers.push(++last)
    pictures.set(last, data)
    return `${prefix}${last}.`
  }

  async function filled(parts: readonly string[]): Promise<Blob> {
    const blocks: Buffer<ArrayBuffer>[] = []
    for (const [at, part] of parts.entries()) {
      const isMark = at % 2 === 1
      for (const slice of textInSlices(isMark ? (pictures.get(Number(part)) ?? '') : part)) {
        // Base64 is written as it is; anything else is escaped.
        blocks.push(Buffer.from(isMark ? JSON.stringify(slice.toWellFormed()).slice(1, -1) : slice))
        await pace()
      }
    }
    await nextTurn()
    return new Blob(blocks)
  }

  return {
    open() {
      const numbers: number[] = []
      const mark = (part: UserPart): UserPart => marked(part, (data) => markOf(data, numbers))
      return {
        mark: (messages) =>
          messages.map((message) =>
            message.role === 'user' ? { ...message, content: message.content.map(mark) } : message,
          ),
        [Symbol.dispose]() {
          for (const number of numbers) pictures.delete(number)
        },
      }
    },
    fill(body) {
      if (pictures.size === 0) return undefined
      const parts = body.split(pattern)
      return parts.length > 1 ? filled(parts) : undefined
    },
  }
}

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number]

function marked(part: UserPart, markOf: (data: string) => string): UserPart {
  if (part.type !== 'file' || part.data.type !== 'data' || typeof part.data.data !== 'string') return part
  const { data } = part.data
  return data.length < minMarkedChars ? part : { ...part, data: { type: 'data', data: markOf(data) } }
}
