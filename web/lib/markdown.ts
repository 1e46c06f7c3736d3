// Renders a reply's Markdown as safe nodes. HTML in the text is escaped. Pictures become links: loading one could leak
// data. Links are http, https or mailto. The sanitiser repeats these rules in case the renderer misses one.
import createDOMPurify from 'dompurify'
import { Marked, type Token, type Tokens } from 'marked'
import { evictOldest } from './evict.ts'

const purify = createDOMPurify(window)
const safe = {
  ALLOWED_TAGS:
    'p h1 h2 h3 h4 h5 h6 ul ol li blockquote hr br pre code table thead tbody tr th td a strong em del span input div'.split(
      ' ',
    ),
  ALLOWED_ATTR: ['href', 'title', 'class', 'align', 'start', 'type', 'checked', 'disabled'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ADD_URI_SAFE_ATTR: ['align', 'start', 'type', 'checked', 'disabled'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
}
const maxCached = 400
/** Headings of a text go below the two heading levels of the page. */
const headingsAbove = 2

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escape(text),
    heading({ tokens, depth }: Tokens.Heading) {
      const level = Math.min(6, depth + headingsAbove)
      return `<h${level} class="heading-${depth}">${this.parser.parseInline(tokens)}</h${level}>`
    },
    image: ({ href, text }: Tokens.Image) => `<a href="${escape(href)}">${escape(text || href)}</a>`,
    code: ({ text, lang }: Tokens.Code) =>
      `<pre><code class="language-${escape((lang ?? '').split(/\s/, 1)[0] ?? '')}">${escape(text)}</code></pre>`,
  },
  extensions: [
    {
      name: 'mathBlock',
      level: 'block',
      start: (text) => /\$\$|\\\[/.exec(text)?.index,
      tokenizer(text) {
        const found = /^(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/.exec(text)
        return found ? { type: 'mathBlock', raw: found[0], text: (found[1] ?? found[2] ?? '').trim() } : undefined
      },
      renderer: ({ text }) => `<div class="math">${escape(String(text))}</div>`,
    },
    {
      name: 'mathInline',
      level: 'inline',
      start: (text) => /\$|\\\(/.exec(text)?.index,
      tokenizer(text) {
        // A price is not math: no space inside the dollar signs, no digit after the second one.
        const found = /^(?:\$\$([^$\n]+?)\$\$|\$(?![\s$])([^$\n]*?[^\s$\\])\$(?!\d)|\\\(([^\n]+?)\\\))/.exec(text)
        const tex = found?.[1] ?? found?.[2] ?? found?.[3]
        return found && tex ? { type: 'mathInline', raw: found[0], text: tex } : undefined
      },
      renderer: ({ text }) => `<span class="math">${escape(String(text))}</span>`,
    },
  ],
})

export type MarkdownBlock = { readonly key: string; readonly raw: string; readonly token: Token }

/** Splits a text into blocks. While it streams in, only the last block changes and is drawn again. */
export function blocksOf(text: string): MarkdownBlock[] {
  const tokens = marked.lexer(text)
  return tokens.flatMap((token, at) =>
    token.type === 'space' || token.type === 'def' ? [] : [{ key: String(at), raw: token.raw, token }],
  )
}

const htmlCache = new Map<string, string>()

/** Renders a block as nodes. */
export function nodesOf({ raw, token }: MarkdownBlock): DocumentFragment {
  let html = htmlCache.get(raw)
  if (html === undefined) {
    html = marked.parser([token])
    // Reference links depend on definitions elsewhere in the text, so blocks with links are not cached.
    if (!raw.includes(']')) htmlCache.set(raw, html)
    evictOldest(htmlCache, maxCached)
  }
  const nodes = purify.sanitize(html, safe)
  for (const link of nodes.querySelectorAll('a')) dressLink(link)
  for (const box of nodes.querySelectorAll('input')) box.disabled = true
  for (const part of nodes.querySelectorAll<HTMLElement>('ul, ol, table, blockquote')) part.dir = 'auto'
  return nodes
}

/** Opens in a new tab, sends no referrer, and shows its target as the tooltip. */
function dressLink(link: HTMLAnchorElement): void {
  const href = link.getAttribute('href')
  if (href === null) return
  link.target = '_blank'
  link.rel = 'noopener noreferrer nofollow'
  link.title = href
  link.className = 'link'
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
