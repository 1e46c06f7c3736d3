// Snippets: the part of a chunk that shows why it was found.
import type { Ranked } from './rank.ts'

const maxChars = 400
/** Maximum characters before the first hit. */
const maxLead = 60

/** About `maxChars` characters with the most query terms; the start of the text when the terms are only in the path. */
export function snippetOf({ found: { text }, hits }: Pick<Ranked, 'hits'> & { found: { text: string } }): string {
  const ordered = [...hits].sort((one, two) => one.start - two.start)
  let best = { start: 0, which: 0, count: 0 }
  for (const { start } of ordered) {
    const within = ordered.filter((hit) => hit.start >= start && hit.end <= start + maxChars - maxLead)
    const which = new Set(within.map((hit) => hit.which)).size
    if (which > best.which || (which === best.which && within.length > best.count))
      best = { start, which, count: within.length }
  }
  const from = best.which === 0 ? 0 : startNear(text, best.start)
  const to = endNear(text, from + maxChars)
  return `${from > 0 ? '…' : ''}${text.slice(from, to).trim()}${to < text.length ? '…' : ''}`
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
