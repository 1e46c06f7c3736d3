// A part of a page as text that a model reads well: headings, lists, tables, code and links keep their form.

/** As much of a DOM as is needed to read it. */
export type Element = {
  readonly nodeType: number
  readonly localName?: string
  readonly textContent: string | null
  readonly childNodes: ArrayLike<Element>
  getAttribute(name: string): string | null
}

/** Deeper elements are told by their text alone. */
const maxDepth = 300
const skipped = new Set(
  'title script style noscript template svg math iframe object head select button input'.split(' '),
)
const blocks = new Set(
  'address article aside body center dd details dialog div dl dt fieldset figcaption figure footer form header hgroup html main nav p section summary'.split(
    ' ',
  ),
)

/** The text of an element. Links are made whole with `base`. */
export function textOfElement(element: Element, base: string): string {
  return blocksOf(element, { base, depth: 0 })
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

type Place = { readonly base: string; readonly depth: number }

/** The children of an element, each block set apart by empty lines. */
function blocksOf(element: Element, place: Place): string {
  const pieces: string[] = []
  for (const child of Array.from(element.childNodes)) {
    const piece = pieceOf(child, place)
    // No blank where a line begins or another blank is.
    const kept = /\s$/.test(pieces.at(-1)?.slice(-1) ?? ' ') ? piece.replace(/^ /, '') : piece
    if (kept !== '') pieces.push(kept)
  }
  return pieces.join('')
}

function pieceOf(node: Element, { base, depth }: Place): string {
  if (node.nodeType === 3) return (node.textContent ?? '').replaceAll(/\s+/g, ' ')
  const name = node.localName
  if (node.nodeType !== 1 || name === undefined || skipped.has(name) || isHidden(node)) return ''
  if (depth >= maxDepth) return (node.textContent ?? '').replaceAll(/\s+/g, ' ')
  const place = { base, depth: depth + 1 }
  if (/^h[1-6]$/.test(name)) return block(heading(Number(name[1]), lineOf(node, place)))
  if (blocks.has(name)) return block(blocksOf(node, place).trim())
  switch (name) {
    case 'br':
      return '\n'
    case 'hr':
      return block('---')
    case 'pre':
      return block(`\`\`\`\n${(node.textContent ?? '').replaceAll(/^\n|\s+$/g, '')}\n\`\`\``)
    case 'code': {
      const code = lineOf(node, place)
      return code === '' ? '' : `\`${code}\``
    }
    case 'a':
      return linkOf(node, place)
    case 'img': {
      const alt = (node.getAttribute('alt') ?? '').replaceAll(/\s+/g, ' ').trim()
      return alt === '' ? '' : `[image: ${alt}]`
    }
    case 'blockquote':
      return block(indented(blocksOf(node, place).trim(), '> ', '> '))
    case 'ul':
    case 'ol':
      return block(listOf(node, place))
    case 'table':
      return block(tableOf(node, place))
    default:
      return blocksOf(node, place)
  }
}

function isHidden(node: Element): boolean {
  const style = node.getAttribute('style') ?? ''
  const hidden = node.getAttribute('hidden') !== null || node.getAttribute('aria-hidden') === 'true'
  return hidden || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)
}

function block(text: string): string {
  return text === '' ? '' : `\n\n${text}\n\n`
}

function heading(level: number, text: string): string {
  return text === '' ? '' : `${'#'.repeat(level)} ${text}`
}

/** All of an element on one line. */
function lineOf(element: Element, place: Place): string {
  return blocksOf(element, place).replaceAll(/\s+/g, ' ').trim()
}

/** A link with its address: the model may ask for an address that it was given. */
function linkOf(node: Element, place: Place): string {
  const text = blocksOf(node, place)
  const href = node.getAttribute('href') ?? ''
  const url = href.startsWith('#') ? null : URL.parse(href, place.base)
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (!url || !/^https?:$/.test(url.protocol) || line === '') return text
  // A card that is a link as a whole keeps its lines.
  if (text.includes('\n\n')) return `${text.trimEnd()}\n(${url.href})\n\n`
  return `${/^\s/.test(text) ? ' ' : ''}[${line}](${url.href})${/\s$/.test(text) ? ' ' : ''}`
}

function listOf(list: Element, place: Place): string {
  const items = Array.from(list.childNodes).filter(({ nodeType }) => nodeType === 1)
  let number = Number.parseInt(list.getAttribute('start') ?? '1', 10) || 1
  return items
    .flatMap((item) => {
      const text = pieceOf(item, place)
        .trim()
        .replaceAll(/\n{2,}/g, '\n')
      if (text === '') return []
      const mark = list.localName === 'ol' ? `${number++}. ` : '- '
      return [indented(text, mark, ' '.repeat(mark.length))]
    })
    .join('\n')
}

function indented(text: string, first: string, rest: string): string {
  return text === '' ? '' : first + text.replaceAll('\n', `\n${rest}`)
}

/** A table by rows. One of a single column lays out a page and is told as its cells. */
function tableOf(table: Element, place: Place): string {
  const rows = rowsOf(table).map((row) =>
    Array.from(row.childNodes).filter(({ localName }) => localName === 'td' || localName === 'th'),
  )
  const filled = rows.filter((cells) => cells.length > 0)
  const title = Array.from(table.childNodes).find(({ localName }) => localName === 'caption')
  const caption = title ? lineOf(title, place) : ''
  const body = filled.every((cells) => cells.length === 1)
    ? filled.map(([cell]) => blocksOf(cell as Element, place).trim()).join('\n\n')
    : filled.map((cells, at) => rowOf(cells, at === 0, place)).join('\n')
  return [caption, body].filter((each) => each !== '').join('\n')
}

function rowOf(cells: readonly Element[], first: boolean, place: Place): string {
  const line = `| ${cells.map((cell) => lineOf(cell, place).replaceAll('|', '\\|')).join(' | ')} |`
  return first ? `${line}\n|${' --- |'.repeat(cells.length)}` : line
}

/** The rows of a table itself, not of one in its cells. */
function rowsOf(part: Element): Element[] {
  return Array.from(part.childNodes).flatMap((child) => {
    if (child.localName === 'tr') return [child]
    return /^t(?:head|body|foot)$/.test(child.localName ?? '') ? rowsOf(child) : []
  })
}
