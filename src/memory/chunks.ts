// Cutting a document into chunks that overlap, at the best place near the end of each.
import type { Chunk, ChunkTerms } from '#core/document.ts'
import type { Reader } from './terms.ts'

/** Characters of a chunk: most documents of a few paragraphs are one. */
const longest = 2_400
/** A chunk is not cut shorter than this for a better place. */
const shortest = 1_400
/** Characters of the chunk before that a chunk begins with, at most. */
const overlap = 200

/**
 * The chunks of a document, ready for the index. Without their laps they are the content, to the letter. One at a time:
 * reading the words of a megabyte takes long.
 */
export function* chunksOf(reader: Reader, path: string, content: string): Generator<Chunk> {
  for (const { text, lap } of cut(content)) yield { text, lap, terms: termsOf(reader, path, text) }
}

/** What a chunk is found by: its words, and before them those of the path and of the headings that stand in it. */
function termsOf(reader: Reader, path: string, text: string): ChunkTerms {
  const { body, extra } = reader.read(text)
  const title = reader.read(titleOf(path, text))
  return { title: [...title.body, ...title.extra], body, extra }
}

/** The words of a path without its ending, and the headings of a text. */
export function titleOf(path: string, text: string): string {
  const headings = text.match(/^#{1,6} .{1,200}/gm)?.slice(0, 8) ?? []
  return [path.replace(/\.(md|txt|markdown)$/i, '').replaceAll('/', ' '), ...headings].join('\n')
}

function cut(content: string): { text: string; lap: number }[] {
  const pieces: { text: string; lap: number }[] = []
  let start = 0
  do {
    const end = endFrom(content, start)
    const lap = start === 0 ? 0 : start - lapFrom(content, start)
    pieces.push({ text: content.slice(start - lap, end), lap })
    start = end
  } while (start < content.length)
  return pieces
}

/** The end of a paragraph, else of a line, of a sentence, of a word; else anywhere but inside a character. */
function endFrom(content: string, start: number): number {
  const furthest = start + longest - overlap
  if (furthest >= content.length) return content.length
  const near = content.slice(start + shortest - overlap, furthest)
  for (const mark of ['\n\n', '\n', '. ', '。', ' ']) {
    const found = near.lastIndexOf(mark)
    if (found >= 0) return start + shortest - overlap + found + mark.length
  }
  return isMiddle(content, furthest) ? furthest - 1 : furthest
}

/** Where the overlap before a place begins: at a word, where there is one. */
function lapFrom(content: string, start: number): number {
  const from = Math.max(0, start - overlap)
  const space = content.slice(from, start).search(/\s/)
  const begin = from === 0 ? 0 : from + Math.max(0, space)
  return isMiddle(content, begin) ? begin + 1 : begin
}

function isMiddle(content: string, at: number): boolean {
  return /[\uDC00-\uDFFF]/.test(content[at] ?? '') && /[\uD800-\uDBFF]/.test(content[at - 1] ?? '')
}
