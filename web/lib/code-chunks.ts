// Cuts long code into chunks for the highlighter.

/** Whole lines, cut at blank lines where there are any. A line longer than `max` is a chunk of its own. */
export function chunksOf(code: string, max: number): string[] {
  const chunks: string[] = []
  for (let from = 0; from < code.length; ) {
    const end = chunkEnd(code, from, max)
    chunks.push(code.slice(from, end))
    from = end
  }
  return chunks
}

function chunkEnd(code: string, from: number, max: number): number {
  if (code.length - from <= max) return code.length
  const blank = code.lastIndexOf('\n\n', from + max - 2)
  if (blank > from) return blank + 2
  const line = code.lastIndexOf('\n', from + max - 1)
  if (line >= from) return line + 1
  const next = code.indexOf('\n', from)
  return next < 0 ? code.length : next + 1
}
