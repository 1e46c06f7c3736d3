// Snippets: the part of a chunk that shows why it was found.
import type { Ranked } from './rank.ts'

const maxChars = 400
/** Maximum characters before the first hit. */
const maxLead = 60

/** About `maxChars` characters with the most query terms; the start of the text when the terms are only in the path. */
export function snippetOf({ found: { text }, hits }: Pick<Ranked, 'hits'> & { found: { text: string } }): string {
  const best = densest([...hits].sort((one, two) => one.start - two.start))
  const from = best === undefined ? 0 : startNear(text, best)
  const to = endNear(text, from + maxChars)
  return `${from > 0 ? '…' : ''}${text.slice(from, to).trim()}${to < text.length ? '…' : ''}`
}

/** Where the stretch begins that has the most query terms, then the most hits. A window over the hits, in linear time. */
function densest(ordered: Ranked['hits']): number | undefined {
  let best: { readonly start: number; readonly which: number; readonly count: number } | undefined
  const counts = new Map<number, number>()
  let end = 0
  for (const [at, { start, which }] of ordered.entries()) {
    for (let next = ordered[end]; next && next.end <= start + maxChars - maxLead; next = ordered[++end])
      counts.set(next.which, (counts.get(next.which) ?? 0) + 1)
    const found = { start, which: counts.size, count: end - at }
    if (
      found.count > 0 &&
      (!best || found.which > best.which || (found.which === best.which && found.count > best.count))
    )
      best = found
    if (end <= at) end = at + 1
    else if (counts.get(which) === 1) counts.delete(which)
    else counts.set(which, (counts.get(which) ?? 0) - 1)
  }
  return best?.start
}

/** A position up to `maxLead` before `at`, at the start of a line or word. */
function startNear(text: string, at: number): number {
  if (at <= maxLead) return 0
  const from = at - maxLead
  const near = text.slice(from, at)
  const line = near.lastIndexOf('\n')
  if (line >= 0) return from + line + 1
  const space = near.indexOf(' ')
  return space >= 0 ? from + space + 1 : wholeCharacter(text, from)
}

function endNear(text: string, at: number): number {
  if (at >= text.length) return text.length
  const space = text.slice(at - maxLead, at).lastIndexOf(' ')
  return space >= 0 ? at - maxLead + space : wholeCharacter(text, at)
}

/** Moves a position out of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at
}
