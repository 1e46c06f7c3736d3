// Converts HTML elements to Markdown-like text: headings, lists, tables, code and links keep their form.

/** The part of the DOM that this file uses. */
export type Element = {
  readonly nodeType: number
  readonly localName?: string
  readonly textContent: string | null
  readonly childNodes: ArrayLike<Element>
  getAttribute(name: string): string | null
}

/** A deeper element is read as plain text. */
const maxDepth = 300
const skipped = new Set(
  'title script style noscript template svg math iframe object head select button input'.split(' '),
)
const blocks = new Set(
  'address article aside body center dd details dialog div dl dt fieldset figcaption figure footer form header hgroup html main nav p section summary'.split(
    ' ',
  ),
)

/** The text of an element. Relative links are resolved against `base`. */
export function textOfElement(element: Element, base: string): string {
  return withoutGaps(blocksOf(element, { base, depth: 0 }))
}

/** At most one empty line between blocks. */
function withoutGaps(text: string): string {
  return (
    text
      // From the first blank of a run on: from each of them the time would grow with the square of the run.
      .replaceAll(/(?<![ \t])[ \t]+\n/g, '\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim()
  )
}

type Position = { readonly base: string; readonly depth: number }

/** The text of an element's children, with empty lines around each block. */
function blocksOf(element: Element, position: Position): string {
  const pieces: string[] = []
  for (const child of Array.from(element.childNodes)) {
    const piece = pieceOf(child, position)
    // No blank at the start of a line or after another blank.
    const trimmed = /\s$/.test(pieces.at(-1)?.slice(-1) ?? ' ') ? piece.replace(/^ /, '') : piece
    if (trimmed !== '') pieces.push(trimmed)
  }
  return pieces.join('')
}

function pieceOf(node: Element, { base, depth }: Position): string {
  if (node.nodeType === 3) return (node.textContent ?? '').replaceAll(/\s+/g, ' ')
  const name = node.localName
  if (node.nodeType !== 1 || name === undefined || skipped.has(name) || isHidden(node)) return ''
  if (depth >= maxDepth) return (node.textContent ?? '').replaceAll(/\s+/g, ' ')
  const position = { base, depth: depth + 1 }
  if (/^h[1-6]$/.test(name)) return block(heading(Number(name[1]), lineOf(node, position)))
  if (blocks.has(name)) return block(blocksOf(node, position).trim())
  switch (name) {
    case 'br':
      return '\n'
    case 'hr':
      return block('---')
    case 'pre':
      return block(`\`\`\`\n${(node.textContent ?? '').replace(/^\n/, '').trimEnd()}\n\`\`\``)
    case 'code': {
      const code = lineOf(node, position)
      return code === '' ? '' : `\`${code}\``
    }
    case 'a':
      return linkOf(node, position)
    case 'img': {
      const alt = (node.getAttribute('alt') ?? '').replaceAll(/\s+/g, ' ').trim()
      return alt === '' ? '' : `[image: ${alt}]`
    }
    case 'blockquote':
      return block(indented(withoutGaps(blocksOf(node, position)), '> ', '> '))
    case 'ul':
    case 'ol':
      return block(listOf(node, position))
    case 'table':
      return block(tableOf(node, position))
    default:
      return blocksOf(node, position)
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

/** The text of an element on one line. */
function lineOf(element: Element, position: Position): string {
  return blocksOf(element, position).replaceAll(/\s+/g, ' ').trim()
}

/** A link with its URL, so that the model may fetch it: the policy knows the URLs in results. */
function linkOf(node: Element, position: Position): string {
  const text = blocksOf(node, position)
  const href = node.getAttribute('href') ?? ''
  const url = href.startsWith('#') ? null : URL.parse(href, position.base)
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (!url || !/^https?:$/.test(url.protocol) || line === '') return text
  // A whole card inside a link keeps its lines.
  if (text.includes('\n\n')) return `${text.trimEnd()}\n(${url.href})\n\n`
  return `${beginsBlank(node) ? ' ' : ''}[${line}](${url.href})${/\s$/.test(text) ? ' ' : ''}`
}

/** True when the first text of an element begins with a blank, which `blocksOf` has left out. */
function beginsBlank(element: Element): boolean {
  let first: Element | undefined = element
  for (let depth = 0; first?.nodeType === 1 && depth < maxDepth; depth++) first = first.childNodes[0]
  return first?.nodeType === 3 && /^\s/.test(first.textContent ?? '')
}

function listOf(list: Element, position: Position): string {
  const items = Array.from(list.childNodes).filter(({ nodeType }) => nodeType === 1)
  let number = Number.parseInt(list.getAttribute('start') ?? '1', 10) || 1
  return items
    .flatMap((item) => {
      const text = pieceOf(item, position)
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

/** A table by rows. A single-column table is page layout: its cells become blocks. */
function tableOf(table: Element, position: Position): string {
  const rows = rowsOf(table).map((row) =>
    Array.from(row.childNodes).filter(({ localName }) => localName === 'td' || localName === 'th'),
  )
  const filled = rows.filter((cells) => cells.length > 0)
  const title = Array.from(table.childNodes).find(({ localName }) => localName === 'caption')
  const caption = title ? lineOf(title, position) : ''
  const body = filled.every((cells) => cells.length === 1)
    ? filled.map(([cell]) => blocksOf(cell as Element, position).trim()).join('\n\n')
    : filled.map((cells, at) => rowOf(cells, at === 0, position)).join('\n')
  return [caption, body].filter((each) => each !== '').join('\n')
}

function rowOf(cells: readonly Element[], first: boolean, position: Position): string {
  const line = `| ${cells.map((cell) => lineOf(cell, position).replaceAll('|', '\\|')).join(' | ')} |`
  return first ? `${line}\n|${' --- |'.repeat(cells.length)}` : line
}

/** The rows of a table, without those of tables in its cells. */
function rowsOf(part: Element): Element[] {
  return Array.from(part.childNodes).flatMap((child) => {
    if (child.localName === 'tr') return [child]
    return /^t(?:head|body|foot)$/.test(child.localName ?? '') ? rowsOf(child) : []
  })
}
