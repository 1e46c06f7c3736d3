// Reads WebAssembly binaries with a cursor that never passes the end of the bytes.
import { decodeUtf8 } from '#lib/utf8.ts'
import { ToolFault } from '#sandbox/sandbox-fault.ts'

export type Cursor = { readonly bytes: Uint8Array; at: number; readonly end: number }

export type Section = { readonly id: number; readonly start: number; readonly body: Cursor }

const maxSections = 100_000

export function cursorOf(bytes: Uint8Array, at = 0, end = bytes.length): Cursor {
  return { bytes, at, end }
}

export function byte(cursor: Cursor): number {
  const value = cursor.at < cursor.end ? cursor.bytes[cursor.at] : undefined
  if (value === undefined) throw malformed('it ends in the middle')
  cursor.at++
  return value
}

/** Reads an unsigned LEB128 number of at most 32 bits. */
export function u32(cursor: Cursor): number {
  let value = 0
  for (let shift = 0; shift < 35; shift += 7) {
    const next = byte(cursor)
    value += (next & 0x7f) * 2 ** shift
    if (next < 0x80) {
      if (value > 0xffff_ffff) break
      return value
    }
  }
  throw malformed('it has a number that is too large')
}

function skip(cursor: Cursor, length: number): void {
  if (length > cursor.end - cursor.at) throw malformed('it ends in the middle')
  cursor.at += length
}

export function text(cursor: Cursor): string {
  const length = u32(cursor)
  const start = cursor.at
  skip(cursor, length)
  const name = decodeUtf8(cursor.bytes.subarray(start, cursor.at))
  if (name === undefined) throw malformed('it has a name that is not UTF-8')
  return name
}

/** The sections after the header of eight bytes. */
export function sectionsOf(bytes: Uint8Array): Section[] {
  const cursor = cursorOf(bytes, 8)
  const sections: Section[] = []
  while (cursor.at < cursor.end) {
    const start = cursor.at
    const id = byte(cursor)
    const length = u32(cursor)
    const body = cursor.at
    skip(cursor, length)
    sections.push({ id, start, body: cursorOf(bytes, body, cursor.at) })
    if (sections.length > maxSections) throw malformed('it has too many sections')
  }
  return sections
}

/** The bytes of an unsigned LEB128 number. */
export function leb(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    bytes.push(rest > 0 ? low | 0x80 : low)
  } while (rest > 0)
  return bytes
}

export function malformed(why: string, cause?: unknown): ToolFault {
  return new ToolFault('component_malformed', `the file is not a valid WebAssembly component: ${why}`, { cause })
}
