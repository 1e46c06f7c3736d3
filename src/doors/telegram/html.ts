// Markdown as the subset of HTML that Telegram's messages take: code, bold, italics and headings. What is not understood
// stays as it was written. The text is never longer than its source.
import { type Fence, fenceOf } from '#doors/channel/fence.ts'

/** Inline code, bold, italics, and links, whose address is always shown. Each stops at the end of its line. */
const inline =
  /`([^`\n]+)`|\*\*(?!\s)([^*\n]+)(?<!\s)\*\*|(?<![\w*])\*(?!\s)([^*\n]+)(?<!\s)\*(?![\w*])|\[([^[\]\n]+)\]\((https?:\/\/[^\s()]+)\)/g

/** Text that is the same in HTML. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

export function htmlOf(markdown: string): string {
  const out: string[] = []
  let code: (Fence & { readonly lines: string[] }) | undefined
  for (const line of markdown.split('\n')) {
    const found = fenceOf(line)
    if (code) {
      if (found?.language === '' && found.fence.startsWith(code.fence)) {
        out.push(codeHtml(code))
        code = undefined
      } else code.lines.push(line)
    } else if (found) code = { ...found, lines: [] }
    else out.push(lineHtml(line))
  }
  if (code) out.push(codeHtml(code))
  return out.join('\n')
}

function codeHtml({ language, lines }: { readonly language: string; readonly lines: readonly string[] }): string {
  const body = escapeHtml(lines.join('\n'))
  // An empty block would be an entity without a character.
  if (body.trim() === '') return body
  return /^[\w+#-]+$/.test(language)
    ? `<pre><code class="language-${language}">${body}</code></pre>`
    : `<pre>${body}</pre>`
}

function lineHtml(line: string): string {
  const heading = /^#{1,6} +(\S.*)$/.exec(line)
  if (heading) return `<b>${escapeHtml((heading[1] ?? '').replaceAll('**', ''))}</b>`
  const item = /^(\s*)[-*+] (?=\S)/.exec(line)
  const text = item ? `${item[1]}• ${line.slice(item[0].length)}` : line
  let html = ''
  let last = 0
  for (const match of text.matchAll(inline)) {
    html += escapeHtml(text.slice(last, match.index)) + inlineHtml(match)
    last = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(last))
}

function inlineHtml([whole, code, bold, italic, label, url]: RegExpMatchArray): string {
  if (code !== undefined) return code.trim() === '' ? escapeHtml(whole) : `<code>${escapeHtml(code)}</code>`
  if (bold !== undefined) return bold.trim() === '' ? escapeHtml(whole) : `<b>${escapeHtml(bold)}</b>`
  if (italic !== undefined) return `<i>${escapeHtml(italic)}</i>`
  return escapeHtml(label === url ? (url ?? '') : `${label} (${url})`)
}
