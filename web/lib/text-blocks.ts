// Cuts a long text into blocks: a browser takes time that grows with the square of a block's length to lay it out.

/** Blocks of at most `max` characters, which end with a line, else with a word, where there is one to end with. */
export function textBlocks(text: string, max: number): string[] {
  const blocks: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = blockEnd(text, from, max)
    blocks.push(text.slice(from, end))
    from = end
  }
  return blocks
}

function blockEnd(text: string, from: number, max: number): number {
  if (text.length - from <= max) return text.length
  const last = from + max - 1
  for (const end of ['\n', ' ']) {
    const at = text.lastIndexOf(end, last)
    if (at >= from + max / 2) return at + 1
  }
  // Between the halves of a pair would be two broken characters.
  return /[\uD800-\uDBFF]/.test(text.charAt(last)) ? last : last + 1
}
