// The format of a backup: lines of JSON, compressed with gzip. A header, then tables with their rows, then files, and at the
// end a SHA-256 of all lines before. Pure.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import type { PortableRow, PortableValue } from '#store/portable-schema.ts'

const formatVersion = 1
/** Longer than the longest row: an item has at most some 30 MB, and quotes in it are escaped. */
export const maxLineBytes = 256 * 1024 * 1024
/** Bytes of a file in one line. */
export const filePartBytes = 384 * 1024

const count = z.number().check(z.int(), z.nonnegative())

const headerSchema = z.object({
  atrium_backup: z.literal(formatVersion),
  /** The version of the program that made it. */
  version: z.string(),
  /** The schema version of the database. */
  schema: count,
  database: z.enum(['sqlite', 'postgres']),
  created_at: z.string(),
  /** The master key and the operator's token are in it. */
  with_key: z.boolean(),
  /** The number of rows of each table. */
  tables: z.record(z.string(), count),
})
const tableSchema = z.object({ table: z.string(), columns: z.array(z.string()) })
const fileSchema = z.object({ file: z.string(), mode: count })
const folderSchema = z.object({ folder: z.string() })
const linkSchema = z.object({ link: z.string(), to: z.string() })
const endSchema = z.object({ end: z.object({ files: count, sha256: z.string() }) })
const bytesSchema = z.object({ bytes: z.string() })

export type Header = Omit<z.infer<typeof headerSchema>, 'atrium_backup'>

export type Line =
  | { readonly type: 'header'; readonly header: Header }
  | { readonly type: 'table'; readonly table: string; readonly columns: readonly string[] }
  | { readonly type: 'row'; readonly row: PortableRow }
  | { readonly type: 'file'; readonly path: string; readonly mode: number }
  | { readonly type: 'part'; readonly bytes: Uint8Array }
  /** An empty folder: any other is made with what is in it. */
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'link'; readonly path: string; readonly to: string }
  | { readonly type: 'end'; readonly files: number; readonly sha256: string }

/** A line of text for each. */
export function lineText(line: Line): string {
  const write = writers[line.type] as (line: Line) => unknown
  return `${JSON.stringify(write(line))}\n`
}

const writers: { readonly [T in Line['type']]: (line: Extract<Line, { type: T }>) => unknown } = {
  header: ({ header }) => ({ atrium_backup: formatVersion, ...header }),
  table: ({ table, columns }) => ({ table, columns }),
  row: ({ row }) => row.map((value) => (value instanceof Uint8Array ? { bytes: base64(value) } : value)),
  file: ({ path, mode }) => ({ file: path, mode }),
  part: ({ bytes }) => base64(bytes),
  folder: ({ path }) => ({ folder: path }),
  link: ({ path, to }) => ({ link: path, to }),
  end: ({ files, sha256 }) => ({ end: { files, sha256 } }),
}

/** Reads one line. Throws invalid_input for anything that is not a line of a backup. */
export function readLine(text: string): Line {
  const found = parse(text)
  if (Array.isArray(found)) return { type: 'row', row: found.map(valueOf) }
  if (typeof found === 'string') return { type: 'part', bytes: Buffer.from(found, 'base64') }
  const table = tableSchema.safeParse(found)
  if (table.success) return { type: 'table', ...table.data }
  const file = fileSchema.safeParse(found)
  if (file.success) return { type: 'file', path: file.data.file, mode: file.data.mode }
  const folder = folderSchema.safeParse(found)
  if (folder.success) return { type: 'folder', path: folder.data.folder }
  const link = linkSchema.safeParse(found)
  if (link.success) return { type: 'link', path: link.data.link, to: link.data.to }
  const end = endSchema.safeParse(found)
  if (end.success) return { type: 'end', ...end.data.end }
  const header = headerSchema.safeParse(found)
  if (!header.success) throw foreignLine()
  const { atrium_backup: _, ...rest } = header.data
  return { type: 'header', header: rest }
}

/** True for the first bytes of a backup, after they were unpacked. */
export function beginsBackup(text: string): boolean {
  return text.startsWith('{"atrium_backup":')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw foreignLine(cause)
  }
}

function foreignLine(cause?: unknown): AppError {
  return new AppError('invalid_input', 'it has a line that is not of a backup, or of a newer Atrium', { cause })
}

function valueOf(value: unknown): PortableValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  const read = bytesSchema.safeParse(value)
  if (!read.success) throw foreignLine()
  return Buffer.from(read.data.bytes, 'base64')
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
