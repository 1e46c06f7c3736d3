// Reads the text of a paragraph, heading or cell into spans. One pass: every search is remembered or bounded, and so is
// the number of marks that are open at once.
import { flanks, openerOf, runLength } from './markdown-emphasis.ts'
import { charOf, decodeEntities } from './markdown-entities.ts'
import { createFind, createTicks } from './markdown-find.ts'
import { append, dissolve, type Frame, frame, top } from './markdown-frames.ts'
import { bareEnd, mailAround, safeHref, stickyMatch, type Target, targetAt } from './markdown-links.ts'
import { labelOf, maxFormulaLength, type Reading, takeFormula } from './markdown-reading.ts'
import type { Span } from './markdown-tree.ts'

/** Emphasis and links that are open at once. Of more, the outermost become text. */
const maxOpen = 16
/** Longer runs of `*` and `_` are text. */
const maxRun = 8
const maxLabelLength = 200

export function spansOf(text: string, reading: Reading): Span[] {
  const frames: Frame[] = [frame('', 0)]
  const find = createFind(text)
  const closingTicks = createTicks(text)
  /** Where the text begins that no span has yet. */
  let from = 0

  function put(span: Span): void {
    reading.left.nodes--
    append(top(frames).spans, span)
  }

  function flush(upTo: number): void {
    if (upTo > from) append(top(frames).spans, { type: 'text', text: text.slice(from, upTo) })
    from = upTo
  }

  /** Puts a span in place of the text from `at` to `end`, and returns `end`. */
  function replace(at: number, end: number, ...spans: readonly Span[]): number {
    flush(at)
    spans.forEach(put)
    from = end
    return end
  }

  function open(next: Frame): void {
    if (frames.length > maxOpen) dissolve(frames, 1)
    frames.push(next)
  }

  function escaped(at: number): number {
    const char = text.charAt(at + 1)
    if (char === '\n') return replace(at, at + 2, { type: 'break' })
    if (char === '(' || char === '[') {
      const close = find(char === '(' ? '\\)' : '\\]', at + 2)
      const end = close > at + 2 ? formula(at, { inner: at + 2, close, display: char === '[' }) : undefined
      if (end !== undefined) return end
    }
    if (!/[!-/:-@[-`{-~]/.test(char)) return at + 1
    flush(at)
    from = at + 1
    return at + 2
  }

  function dollar(at: number): number {
    const double = text[at + 1] === '$'
    const inner = double ? at + 2 : at + 1
    const close = find('$', inner)
    // A price is not math: no space inside the dollar signs, no digit after the second one.
    const fits = double
      ? text[close + 1] === '$'
      : !/\s/.test(text.charAt(inner)) && !/[\s\\]/.test(text.charAt(close - 1)) && !/\d/.test(text.charAt(close + 1))
    const end = close > inner && fits ? formula(at, { inner, close, display: double }) : undefined
    return end ?? inner
  }

  function formula(at: number, { inner, close, display }: { inner: number; close: number; display: boolean }) {
    const line = find('\n', inner)
    if (!display && line >= 0 && line < close) return undefined
    const source = text.slice(inner, Math.min(close, inner + maxFormulaLength + 1)).trim()
    if (source === '' || !takeFormula(reading, close - inner)) return undefined
    const marks = text[at] === '$' && !display ? 1 : 2
    return replace(at, close + marks, { type: 'math', text: source, display })
  }

  function ticks(at: number): number {
    const length = runLength(text, at)
    const close = closingTicks(length, at + length)
    if (close === undefined) return at + length
    const code = text.slice(at + length, close).replaceAll('\n', ' ')
    const padded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
    return replace(at, close + length, { type: 'code', text: padded ? code.slice(1, -1) : code })
  }

  function emphasis(at: number, marker: '*' | '_' | '~'): number {
    const length = runLength(text, at)
    const end = at + length
    if (length > (marker === '~' ? 2 : maxRun)) return end
    const { opens, closes } = flanks(text, at, end)
    flush(at)
    let left = length
    while (closes && left > 0) {
      const opener = openerOf(frames, { marker, length, both: opens })
      if (opener < 0) break
      left -= closeEmphasis(opener, left)
    }
    from = end - left
    if (left > 0 && opens) {
      open(frame(marker, end, { length, count: left, closes }))
      from = end
    }
    return end
  }

  /** Ends the emphasis of a frame; returns how many characters of the run it took. */
  function closeEmphasis(index: number, run: number): number {
    while (frames.length > index + 1) dissolve(frames, frames.length - 1)
    const own = top(frames)
    const used = own.marker === '~' ? own.count : Math.min(2, own.count, run)
    const type = own.marker === '~' ? 'del' : used === 2 ? 'strong' : 'em'
    const span: Span = { type, spans: own.spans }
    own.count -= used
    if (own.count > 0) own.spans = []
    else frames.pop()
    put(span)
    return used
  }

  function closeBracket(at: number): number {
    const index = frames.findLastIndex(({ marker }) => marker === '[' || marker === '![')
    const own = frames[index]
    if (!own || index === 0) return at + 1
    flush(at)
    const target = own.hasLink ? undefined : (targetAt(text, at + 1, find) ?? referenceAt(own, at))
    if (!target) {
      dissolve(frames, index)
      return at + 1
    }
    while (frames.length > index + 1) dissolve(frames, frames.length - 1)
    frames.pop()
    const href = safeHref(target.address)
    const spans = own.spans.length > 0 ? withoutLinks(own.spans) : [{ type: 'text' as const, text: target.address }]
    if (own.marker === '[') for (const each of frames) each.hasLink = true
    if (href === undefined) for (const span of spans) put(span)
    else put({ type: 'link', href, spans })
    from = target.end
    return target.end
  }

  /** `[^label]` of a footnote that the text has. */
  function noteAt(at: number): number | undefined {
    const [mark, label = ''] = stickyMatch(/\[\^([^\]\s[^]{1,40})\]/y, text, at) ?? []
    if (mark === undefined || !reading.definitions.has(`^${labelOf(label)}`)) return undefined
    return replace(at, at + mark.length, { type: 'note', label })
  }

  /** `[text][label]`, `[label][]` or `[label]`. */
  function referenceAt(own: Frame, at: number): Target | undefined {
    if (reading.definitions.size === 0) return undefined
    const close = text[at + 1] === '[' ? find(']', at + 2) : -1
    const labelled = close >= 0 && close - at <= maxLabelLength
    const other = labelled ? text.slice(at + 2, close) : ''
    const label = other.trim() !== '' ? other : at - own.from <= maxLabelLength ? text.slice(own.from, at) : ''
    const address = reading.definitions.get(labelOf(label))
    return address === undefined ? undefined : { address, end: labelled ? close + 1 : at + 1 }
  }

  function angle(at: number): number {
    const found = stickyMatch(
      /<(?:br *\/?|(https?:\/\/[^\s<>]+|mailto:[^\s<>]+)|([\w.+-]{1,64}@[\w.-]{1,255}))>/iy,
      text,
      at,
    )
    if (!found) return at + 1
    const [all, address, mail] = found
    if (address === undefined && mail === undefined) return replace(at, at + all.length, { type: 'break' })
    const shown = address ?? mail ?? ''
    return replace(at, at + all.length, linkTo(address ?? `mailto:${mail}`, shown))
  }

  /** A bare address in the text. `at` is its `:` or its first `.`. */
  function bare(at: number): number {
    const before = text.slice(Math.max(from, at - 6), at)
    const scheme = text[at] === '.' ? /(?:^|[^\w])(www)$/i : /(?:^|[^\w])(https?)$/i
    const begin = at - (scheme.exec(before)?.[1]?.length ?? at + 1)
    const host = text[at] === '.' ? at + 1 : at + 3
    if (begin < from || (text[at] === ':' && !text.startsWith('//', at + 1)) || !/\w/.test(text.charAt(host)))
      return at + 1
    const end = bareEnd(text, begin)
    const shown = text.slice(begin, end)
    return end > host ? replace(begin, end, linkTo(text[at] === '.' ? `http://${shown}` : shown, shown)) : at + 1
  }

  function mail(at: number): number {
    const found = mailAround(text, at)
    if (!found || found.from < from) return at + 1
    const shown = text.slice(found.from, found.end)
    return replace(found.from, found.end, linkTo(`mailto:${shown}`, shown))
  }

  function entity(at: number): number {
    const found = stickyMatch(/&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,7});/y, text, at)
    const char = found && charOf(found[1] ?? '')
    if (!found || char === undefined || char === null) return at + 1
    flush(at)
    append(top(frames).spans, { type: 'text', text: char })
    from = at + found[0].length
    return from
  }

  /** Two spaces at the end of a line break it. */
  function lineEnd(at: number): number {
    let end = at
    while (end > from && text[end - 1] === ' ') end--
    return at - end >= 2 ? replace(end, at + 1, { type: 'break' }) : at + 1
  }

  function special(at: number): number {
    switch (text.charAt(at)) {
      case '\\':
        return escaped(at)
      case '`':
        return ticks(at)
      case '*':
        return emphasis(at, '*')
      case '_':
        return emphasis(at, '_')
      case '~':
        return emphasis(at, '~')
      case '[': {
        const note = noteAt(at)
        if (note !== undefined) return note
        flush(at)
        open(frame('[', at + 1))
        from = at + 1
        return at + 1
      }
      case '!':
        if (text[at + 1] !== '[') return at + 1
        flush(at)
        open(frame('![', at + 2))
        from = at + 2
        return at + 2
      case ']':
        return closeBracket(at)
      case '<':
        return angle(at)
      case '&':
        return entity(at)
      case '$':
        return dollar(at)
      case '\n':
        return lineEnd(at)
      case '@':
        return mail(at)
      default:
        return bare(at)
    }
  }

  const specials = /[\\`*_~[\]!<&$\n@:.]/g
  for (let at = 0; reading.left.nodes > 0; ) {
    specials.lastIndex = at
    const next = specials.exec(text)
    if (!next) break
    at = special(next.index)
  }
  flush(text.length)
  while (frames.length > 1) dissolve(frames, frames.length - 1)
  return top(frames).spans
}

function linkTo(href: string, shown: string): Span {
  return { type: 'link', href: decodeEntities(href), spans: [{ type: 'text', text: decodeEntities(shown) }] }
}

/** Spans whose links are only their texts: a link holds no link. */
function withoutLinks(spans: readonly Span[]): Span[] {
  return spans.flatMap((span) => {
    if (span.type === 'link') return span.spans
    return 'spans' in span ? [{ ...span, spans: withoutLinks(span.spans) }] : [span]
  })
}
