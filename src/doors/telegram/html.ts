// Markdown as the subset of HTML that Telegram's messages take: code, tables, quotes, bold, italics and headings. What is not
// understood stays as it was written. The text is no longer than its source, but for what a table may take more.
import { fenceOf } from '#doors/channel/fence.ts'
import { alignedTable, tableEnd } from './table.ts'

/** Inline code, bold, italics, and links, whose address is always shown. Each stops at the end of its line. */
const inline =
  /`([^`\n]+)`|\*\*(?!\s)([^*\n]+)(?<!\s)\*\*|(?<![\w*])\*(?!\s)([^*\n]+)(?<!\s)\*(?![\w*])|\[([^[\]\n]+)\]\((https?:\/\/[^\s()]+)\)/g

/** Text that is the same in HTML. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A table whose columns stand below each other takes at most `spare` characters more than its source. */
export function htmlOf(markdown: string, spare = 0): string {
  const lines = markdown.split('\n')
  const out: string[] = []
  let left = spare
  for (let at = 0; at < lines.length; ) {
    const block = codeAt(lines, at) ?? tableAt(lines, at, left) ?? quoteAt(lines, at) ?? lineAt(lines, at)
    out.push(block.html)
    at = block.end
    left -= block.grows ?? 0
  }
  return out.join('\n')
}

/** The lines before `end` as HTML, and by how many characters its text is longer. */
type Block = { readonly html: string; readonly end: number; readonly grows?: number }

/** A code block that begins at a line. One that is still open lasts to the end. */
function codeAt(lines: readonly string[], from: number): Block | undefined {
  const opened = fenceOf(lines[from] ?? '')
  if (!opened) return undefined
  let end = from + 1
  for (; end < lines.length; end++) {
    const found = fenceOf(lines[end] ?? '')
    if (found?.language === '' && found.fence.startsWith(opened.fence)) break
  }
  const { language } = opened
  return { html: codeHtml({ language, lines: lines.slice(from + 1, end) }), end: end + 1 }
}

/** A table as monospaced text, or what is left of one that was cut between two messages. */
function tableAt(lines: readonly string[], from: number, spare: number): Block | undefined {
  const end = tableEnd(lines, from)
  if (end === undefined) return undefined
  const source = lines.slice(from, end)
  const aligned = alignedTable(source, spare)
  const html = codeHtml({ language: '', lines: aligned ?? source })
  return { html, end, ...(aligned && { grows: Math.max(0, sizeOf(aligned) - sizeOf(source)) }) }
}

/** Lines in a row that begin with `>`. Telegram has no quote inside a quote, and no code. */
function quoteAt(lines: readonly string[], from: number): Block | undefined {
  let end = from
  while (end < lines.length && quoteMark.test(lines[end] ?? '')) end++
  if (end === from) return undefined
  const texts = lines.slice(from, end).map((line) => line.replace(quoteMark, ''))
  const [first, last] = [texts.findIndex(isFilled), texts.findLastIndex(isFilled)]
  // All at once: to look at each again takes the square of their number.
  if (first < 0)
    return {
      html: lines
        .slice(from, end)
        .map((line) => lineHtml(line))
        .join('\n'),
      end,
    }
  const html = texts.slice(first, last + 1).map((text) => lineHtml(text, true))
  return { html: `<blockquote>${html.join('\n')}</blockquote>`, end }
}

const quoteMark = /^ {0,3}>(?: ?>)* ?/

function isFilled(text: string): boolean {
  return text.trim() !== ''
}

function lineAt(lines: readonly string[], at: number): Block {
  return { html: lineHtml(lines[at] ?? ''), end: at + 1 }
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}

function codeHtml({ language, lines }: { readonly language: string; readonly lines: readonly string[] }): string {
  const body = escapeHtml(lines.join('\n'))
  // An empty block would be an entity without a character.
  if (body.trim() === '') return body
  return /^[\w+#-]+$/.test(language)
    ? `<pre><code class="language-${language}">${body}</code></pre>`
    : `<pre>${body}</pre>`
}

function lineHtml(line: string, quoted = false): string {
  const heading = /^#{1,6} +(\S.*)$/.exec(line)
  if (heading) return `<b>${escapeHtml((heading[1] ?? '').replaceAll('**', ''))}</b>`
  const item = /^(\s*)[-*+] (?=\S)/.exec(line)
  const text = item ? `${item[1]}• ${line.slice(item[0].length)}` : line
  let html = ''
  let last = 0
  for (const match of text.matchAll(inline)) {
    html += escapeHtml(text.slice(last, match.index)) + inlineHtml(match, quoted)
    last = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(last))
}

function inlineHtml([whole, code, bold, italic, label, url]: RegExpMatchArray, quoted: boolean): string {
  if (code !== undefined) return quoted || code.trim() === '' ? escapeHtml(whole) : `<code>${escapeHtml(code)}</code>`
  if (bold !== undefined) return bold.trim() === '' ? escapeHtml(whole) : `<b>${escapeHtml(bold)}</b>`
  if (italic !== undefined) return `<i>${escapeHtml(italic)}</i>`
  return escapeHtml(label === url ? (url ?? '') : `${label} (${url})`)
}
