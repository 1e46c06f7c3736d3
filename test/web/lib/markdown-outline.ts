// A tree of Markdown as one line that a test can compare.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMarkdown } from '../../../web/lib/markdown.ts'
import type { MarkdownBlock, Span } from '../../../web/lib/markdown-tree.ts'

/** A test for each table: each of its texts has the outline beside it. */
export function testOutlines(tables: Readonly<Record<string, readonly (readonly [text: string, outline: string])[]>>) {
  for (const [name, table] of Object.entries(tables)) {
    test(name, () => {
      for (const [text, expected] of table) assert.equal(outlineOf(text), expected, JSON.stringify(text))
    })
  }
}

export function outlineOf(text: string, limits?: Parameters<typeof readMarkdown>[2]): string {
  return outline(readMarkdown(text, undefined, limits).parts.map(({ block }) => block))
}

export function outline(blocks: readonly MarkdownBlock[]): string {
  return blocks.map(outlineBlock).join(' ')
}

function outlineBlock(block: MarkdownBlock): string {
  switch (block.type) {
    case 'paragraph':
      return `p(${outlineSpans(block.spans)})`
    case 'heading':
      return `h${block.depth}(${outlineSpans(block.spans)})`
    case 'code':
      return `pre${block.language && `.${block.language}`}(${block.text})`
    case 'math':
      return `formula(${block.text})`
    case 'rule':
      return 'rule'
    case 'note':
      return `note.${block.label}(${outlineSpans(block.spans)})`
    case 'quote':
      return `quote(${outline(block.blocks)})`
    case 'list': {
      const items = block.items.map(({ checked, blocks }) => `${boxOf(checked)}${outline(blocks)}`)
      return `${block.start === undefined ? 'ul' : `ol${block.start}`}${block.loose ? '.loose' : ''}(${items.join(', ')})`
    }
    case 'table': {
      const rows = [block.head, ...block.rows].map((row) => row.map(outlineSpans).join('|'))
      return `table(${block.aligns.map((align) => align ?? '-').join('|')}; ${rows.join('; ')})`
    }
    case 'plain':
      return `plain(${block.text})`
    default:
      return block satisfies never
  }
}

function outlineSpans(spans: readonly Span[]): string {
  return spans.map(outlineSpan).join('')
}

function outlineSpan(span: Span): string {
  switch (span.type) {
    case 'text':
      return span.text
    case 'code':
      return `\`${span.text}\``
    case 'math':
      return `${span.display ? 'display' : 'math'}(${span.text})`
    case 'note':
      return `note(${span.label})`
    case 'break':
      return '<br>'
    case 'link':
      return `a(${span.href}: ${outlineSpans(span.spans)})`
    case 'em':
    case 'strong':
    case 'del':
      return `${span.type}(${outlineSpans(span.spans)})`
    default:
      return span satisfies never
  }
}

function boxOf(checked: boolean | undefined): string {
  return checked === undefined ? '' : checked ? '[x] ' : '[ ] '
}
