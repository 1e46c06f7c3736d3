// The part of a chunk that shows why it was found.
import type { Ranked } from './rank.ts'

const longest = 400
/** Characters shown before the first hit. */
const before = 60

/** About `longest` characters with the most of what was asked for; the beginning where the words stand in the path only. */
export function snippetOf({ found: { text }, hits }: Pick<Ranked, 'hits'> & { found: { text: string } }): string {
  const ordered = [...hits].sort((one, two) => one.start - two.start)
  let best = { start: 0, which: 0, count: 0 }
  for (const { start } of ordered) {
    const within = ordered.filter((hit) => hit.start >= start && hit.end <= start + longest - before)
    const which = new Set(within.map((hit) => hit.which)).size
    if (which > best.which || (which === best.which && within.length > best.count))
      best = { start, which, count: within.length }
  }
  const from = best.which === 0 ? 0 : beginning(text, best.start)
  const to = ending(text, from + longest)
  return `${from > 0 ? '…' : ''}${text.slice(from, to).trim()}${to < text.length ? '…' : ''}`
}

/** A little before a place, at the beginning of a line or a word. */
function beginning(text: string, place: number): number {
  if (place <= before) return 0
  const near = text.slice(place - before, place)
  const line = near.lastIndexOf('\n')
  if (line >= 0) return place - before + line + 1
  const space = near.indexOf(' ')
  return space >= 0 ? place - before + space + 1 : aside(text, place - before)
}

function ending(text: string, place: number): number {
  if (place >= text.length) return text.length
  const space = text.slice(place - before, place).lastIndexOf(' ')
  return space >= 0 ? place - before + space : aside(text, place)
}

/** Not inside a character. */
function aside(text: string, place: number): number {
  return /[\uDC00-\uDFFF]/.test(text[place] ?? '') ? place - 1 : place
}
