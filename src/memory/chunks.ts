// Cuts a document into overlapping chunks, at paragraph, line, sentence or word ends.
import type { Chunk, ChunkTerms } from '#core/document.ts'
import type { Reader } from './terms.ts'

/** Maximum characters of a chunk, overlap included. Most documents of a few paragraphs are one chunk. */
const maxChunkChars = 2_400
/** A better cut position is looked for down to this length. */
const minChunkChars = 1_400
/** Maximum characters repeated from the previous chunk. */
const maxLap = 200

/**
 * The chunks of a document, ready for the index. Without their laps they join to the exact content. A generator, so that
 * the caller can pause between chunks: a megabyte takes long.
 */
export function* chunksOf(reader: Reader, path: string, content: string): Generator<Chunk> {
  for (const { text, lap } of piecesOf(content)) yield { text, lap, terms: termsOf(reader, path, text) }
}

/** The terms of a chunk: those of its text, and as title those of its path and headings. */
export function termsOf(reader: Reader, path: string, text: string): ChunkTerms {
  const { body, extra } = reader.read(text)
  const title = reader.read(titleOf(path, text))
  return { title: [...title.body, ...title.extra], body, extra }
}

/** The path without its extension, and the headings in the text. */
export function titleOf(path: string, text: string): string {
  const headings = text.match(/^#{1,6} .{1,200}/gm)?.slice(0, 8) ?? []
  return [path.replace(/\.(md|txt|markdown)$/i, '').replaceAll('/', ' '), ...headings].join('\n')
}

/** The overlapping pieces of a text, and where each starts. */
export function piecesOf(content: string): { text: string; start: number; lap: number }[] {
  const pieces: { text: string; start: number; lap: number }[] = []
  let start = 0
  do {
    const end = endFrom(content, start)
    const lap = start === 0 ? 0 : start - lapFrom(content, start)
    pieces.push({ text: content.slice(start - lap, end), start: start - lap, lap })
    start = end
  } while (start < content.length)
  return pieces
}

/** The last end of a paragraph in range, else of a line, sentence or word; else the limit, outside surrogate pairs. */
function endFrom(content: string, start: number): number {
  const furthest = start + maxChunkChars - maxLap
  if (furthest >= content.length) return content.length
  const nearest = start + minChunkChars - maxLap
  const near = content.slice(nearest, furthest)
  for (const mark of ['\n\n', '\n', '. ', '。', ' ']) {
    const found = near.lastIndexOf(mark)
    if (found >= 0) return nearest + found + mark.length
  }
  return isInsidePair(content, furthest) ? furthest - 1 : furthest
}

/** Where the overlap before `start` begins: at a word, if there is one. The chunk before is longer than an overlap. */
function lapFrom(content: string, start: number): number {
  const from = start - maxLap
  const begin = from + Math.max(0, content.slice(from, start).search(/\s/))
  return isInsidePair(content, begin) ? begin + 1 : begin
}

/** True between the two halves of a surrogate pair. */
function isInsidePair(content: string, at: number): boolean {
  return /[\uDC00-\uDFFF]/.test(content[at] ?? '') && /[\uD800-\uDBFF]/.test(content[at - 1] ?? '')
}
