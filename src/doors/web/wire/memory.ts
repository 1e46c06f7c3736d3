// Wire format of memory documents: in lists, whole, and as search results.
import * as z from 'zod/mini'

export const DocumentWire = z.object({
  path: z.string(),
  bytes: z.number(),
  author: z.enum(['user', 'door', 'agent']),
  untrusted: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
})
/** A document in a list, with the beginning of its text. */
const ListedWire = z.extend(DocumentWire, { beginning: z.string() })
export const ContentWire = z.extend(DocumentWire, {
  content: z.string(),
  /** The thread in which the agent wrote it, as long as that thread exists. */
  thread: z.exactOptional(z.object({ id: z.string(), title: z.string() })),
})
/** A search result, with the part of the document that matches. */
const FoundWire = z.object({ path: z.string(), content: z.string(), score: z.number(), updated_at: z.string() })
const FoundAnswer = z.object({ results: z.array(FoundWire) })
const ListAnswer = z.object({ results: z.array(ListedWire), next_cursor: z.nullable(z.string()) })
export const MemoryAnswer = z.union([FoundAnswer, ListAnswer])

/** An earlier version; `content` where one is asked for. */
const VersionWire = z.object({
  revision: z.number(),
  author: z.enum(['user', 'door', 'agent']),
  untrusted: z.boolean(),
  bytes: z.number(),
  written_at: z.string(),
  content: z.exactOptional(z.string()),
})
export const HistoryAnswer = z.object({ versions: z.array(VersionWire) })

export type Version = z.output<typeof VersionWire>
export type History = z.output<typeof HistoryAnswer>
export type Document = z.output<typeof ContentWire>
export type ListedDocument = z.output<typeof ListedWire>
export type FoundDocument = z.output<typeof FoundWire>
export type FoundPage = z.output<typeof FoundAnswer>
export type DocumentPage = z.output<typeof ListAnswer>
