// Frames of a text: emphasis and links that are open, from the outermost to the innermost.
import type { Span } from './markdown-tree.ts'

/** An emphasis or a link whose end has not come yet, or, at the bottom, the text itself. */
export type Frame = {
  readonly marker: '' | '*' | '_' | '~' | '[' | '!['
  /** How many characters of the marker are not used yet, and how many there were. */
  count: number
  readonly length: number
  readonly closes: boolean
  /** Where its content begins. */
  readonly from: number
  /** A link inside it was found: it cannot be a link itself. */
  hasLink: boolean
  spans: Span[]
}

/** A new frame; `from` is where its content begins. */
export function frame(
  marker: Frame['marker'],
  from: number,
  { length = 0, count = 0, closes = false }: Partial<Frame> = {},
): Frame {
  return { marker, from, length, count, closes, hasLink: false, spans: [] }
}

/** The innermost open frame. */
export function top(frames: readonly Frame[]): Frame {
  const last = frames.at(-1)
  if (!last) throw new Error('no frame is open')
  return last
}

/** Makes a frame that has no end into text of the frame below it. */
export function dissolve(frames: Frame[], index: number): void {
  const [own] = frames.splice(index, 1)
  const below = frames[index - 1]
  if (!own || !below) return
  const marks = own.marker === '[' || own.marker === '![' ? own.marker : own.marker.repeat(own.count)
  append(below.spans, { type: 'text', text: marks })
  for (const span of own.spans) append(below.spans, span)
  below.hasLink ||= own.hasLink
}

/** Adds a span. Texts in a row become one. */
export function append(spans: Span[], span: Span): void {
  const last = spans.at(-1)
  if (span.type === 'text' && last?.type === 'text')
    spans[spans.length - 1] = { type: 'text', text: last.text + span.text }
  else spans.push(span)
}
