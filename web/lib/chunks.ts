// Cuts long texts into chunks: code for the highlighter, and text for the layout, for which a browser takes time that grows
// with the square of a block's length.

/** Whole lines, cut at blank lines where there are any. A line longer than `max` is a chunk of its own. */
export function codeChunks(code: string, max: number): string[] {
  return chunksOf(code, max, (from) => {
    const blank = code.lastIndexOf('\n\n', from + max - 2)
    if (blank > from) return blank + 2
    const line = code.lastIndexOf('\n', from + max - 1)
    if (line >= from) return line + 1
    const next = code.indexOf('\n', from)
    return next < 0 ? code.length : next + 1
  })
}

/** Blocks of at most `max` characters, which end with a line, else with a word, where there is one to end with. */
export function textBlocks(text: string, max: number): string[] {
  return chunksOf(text, max, (from) => {
    const last = from + max - 1
    for (const end of ['\n', ' ']) {
      const at = text.lastIndexOf(end, last)
      if (at >= from + max / 2) return at + 1
    }
    // Between the halves of a pair would be two broken characters.
    return /[\uD800-\uDBFF]/.test(text.charAt(last)) ? last : last + 1
  })
}

/** `endOf` finds the end of a chunk in what is longer than `max`. */
function chunksOf(text: string, max: number, endOf: (from: number) => number): string[] {
  const chunks: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = text.length - from <= max ? text.length : endOf(from)
    chunks.push(text.slice(from, end))
    from = end
  }
  return chunks
}
