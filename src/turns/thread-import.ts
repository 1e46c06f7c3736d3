// Reads an exported thread back. The file is foreign: everything in it is untrusted, no matter which author it names.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { newCallId } from '#core/ids.ts'
import { isImageUrl, type Item, type Part, type Result } from '#core/item.ts'
import { importOrigin } from '#core/origins.ts'
import { maxThreadTitleChars } from '#core/page-limits.ts'
import { isTitle } from './thread-title.ts'
import { exportName, exportVersion } from './thread-export.ts'

export const maxImportBytes = 14 * 1024 * 1024
/** Bounds of the one transaction that writes the thread. */
const maxItems = 5_000
const maxPartsInMessage = 200
const maxParts = 20_000

const text = z.string()
const imageUrl = text.check(z.refine(isImageUrl, 'must be an http(s) URL or a data URL of an image'))
const PartIn = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('image'), url: imageUrl }),
  z.object({ type: z.literal('file'), name: text, text }),
])
const ItemIn = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    role: z.enum(['user', 'assistant']),
    content: z.array(PartIn).check(z.maxLength(maxPartsInMessage)),
  }),
  z.object({ type: z.literal('reasoning'), text }),
  z.object({ type: z.literal('call'), call_id: text, name: text, args: text }),
  z.object({
    type: z.literal('result'),
    call_id: text,
    output: text,
    images: z.optional(z.array(imageUrl).check(z.maxLength(maxPartsInMessage))),
    error: z.optional(z.literal(true)),
  }),
])

function partsIn(items: readonly z.output<typeof ItemIn>[]): number {
  return items.reduce((sum, item) => {
    if (item.type === 'message') return sum + item.content.length
    return sum + (item.type === 'result' ? (item.images?.length ?? 0) : 0)
  }, 0)
}

/** An exported thread. Other fields are ignored. */
export const ExportedThread = z.object({
  format: z.literal(exportName, `must be "${exportName}"`),
  version: z.literal(exportVersion, `must be ${exportVersion}: a newer Atrium wrote this file`),
  title: text.check(
    z.refine(
      (title) => title === '' || isTitle(title),
      `must be at most ${maxThreadTitleChars} characters in one line`,
    ),
  ),
  items: z.array(ItemIn).check(
    z.maxLength(maxItems),
    z.refine((items) => partsIn(items) <= maxParts, `must have at most ${maxParts} parts and images`),
  ),
})
const NewerThread = z.object({ format: z.literal(exportName), version: z.int().check(z.gt(exportVersion)) })
export type ExportedThread = z.output<typeof ExportedThread>

/** The thread in the text of a file. Throws invalid_input, too_large. */
export function readExport(file: string): ExportedThread {
  if (Buffer.byteLength(file) > maxImportBytes)
    throw new AppError('too_large', `an exported thread has at most ${maxImportBytes} bytes`)
  let value: unknown
  try {
    value = JSON.parse(file)
  } catch (error) {
    throw new AppError('invalid_input', `the file is no exported thread, which is JSON (${(error as Error).message})`, {
      cause: error,
    })
  }
  if (NewerThread.safeParse(value).success)
    throw new AppError('invalid_input', `a newer Atrium wrote this file: this one reads version ${exportVersion}`)
  const read = ExportedThread.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new AppError(
    'invalid_input',
    `the file is no exported thread: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  )
}

/** The items of a new thread. Calls get new ids and each its result; thinking is left out, since no model takes it back. */
export function importedItems({ items: given }: Pick<ExportedThread, 'items'>): Item[] {
  const outputs = new Map<string, Extract<ExportedThread['items'][number], { type: 'result' }>>()
  for (const item of given) if (item.type === 'result') outputs.set(item.call_id, item)
  const items: Item[] = []
  let results: Result[] = []
  for (const item of given) {
    if (item.type === 'call') {
      const callId = newCallId()
      items.push({ type: 'call', callId, name: item.name, args: item.args })
      const found = outputs.get(item.call_id)
      outputs.delete(item.call_id)
      results.push(
        found
          ? {
              type: 'result',
              callId,
              output: found.output,
              ...(found.images && { images: found.images }),
              ...(found.error && { error: true }),
              origin: importOrigin,
            }
          : { type: 'result', callId, output: 'no output was given', error: true },
      )
    } else if (item.type === 'result' || (item.type === 'message' && item.content.length > 0)) {
      items.push(...results)
      results = []
      if (item.type === 'message') items.push({ type: 'message', role: item.role, content: item.content.map(partOf) })
    }
  }
  return [...items, ...results]
}

/** Origins in the file are ignored: it could leave them out. */
function partOf(part: z.output<typeof PartIn>): Part {
  return part.type === 'text' ? { ...part, origin: importOrigin } : part
}
