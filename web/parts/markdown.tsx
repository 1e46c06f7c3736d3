// Shows a text as Markdown, block by block. Code colours and formulas are chunks loaded at first use.
import { useMemo, useRef } from 'preact/hooks'
import { directionOf } from '../lib/direction.ts'
import { type HeadingLevels, headingLevels } from '../lib/heading-levels.ts'
import { formattedLength, type MarkdownText, readMarkdown } from '../lib/markdown.ts'
import type { Align, ListItem, MarkdownBlock, Span } from '../lib/markdown-tree.ts'
import { Code } from './code.tsx'
import { Formula } from './formula.tsx'
import { LongText } from './long-text.tsx'
import './markdown.css'

type Props = {
  readonly text: string
  /** Text is still streaming in: code and formulas of the last block stay plain. */
  readonly growing?: boolean
}

export function Markdown({ text, growing = false }: Props) {
  const known = useRef<MarkdownText>(undefined)
  const length = formattedLength(text)
  const { parts } = useMemo(() => (known.current = readMarkdown(text.slice(0, length), known.current)), [text])
  const levels = headingLevels(parts.map(({ block }) => block))
  return (
    <div class="markdown">
      {parts.map(({ block }, at) => (
        <OwnBlock key={at} block={block} levels={levels} growing={growing && at === parts.length - 1} />
      ))}
      {length < text.length && <LongText text={text.slice(length)} shown={0} />}
    </div>
  )
}

type BlockProps = { readonly block: MarkdownBlock; readonly levels: HeadingLevels; readonly growing: boolean }

/** Memoised: while a text streams in, only its last blocks are drawn again. The levels of a block are given by those before. */
function OwnBlock({ block, levels, growing }: BlockProps) {
  return useMemo(
    () => (
      <div class="markdown-block">
        <Block block={block} levels={levels} growing={growing} />
      </div>
    ),
    [block, growing],
  )
}

function Block({ block, levels, growing }: BlockProps) {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <Spans spans={block.spans} growing={growing} />
        </p>
      )
    case 'heading': {
      const Heading = `h${levels.get(block)}` as 'h2'
      return (
        <Heading class={`heading-${block.depth}`}>
          <Spans spans={block.spans} growing={growing} />
        </Heading>
      )
    }
    case 'code':
      return <Code text={block.text} language={block.language} growing={growing} />
    case 'math':
      return <Formula key={block.text} tex={block.text} display plain={growing} />
    case 'rule':
      return <hr />
    case 'note':
      return (
        <p class="footnote">
          <sup>{block.label}</sup> <Spans spans={block.spans} growing={growing} />
        </p>
      )
    case 'quote':
      return (
        <blockquote dir={directionOf(block.blocks)}>
          <Blocks blocks={block.blocks} levels={levels} growing={growing} />
        </blockquote>
      )
    case 'list':
      return <List block={block} levels={levels} growing={growing} />
    case 'table':
      return <Table block={block} growing={growing} />
    case 'plain':
      return <div class="plain">{block.text}</div>
    default:
      return block satisfies never
  }
}

type BlocksProps = Omit<BlockProps, 'block'> & { readonly blocks: readonly MarkdownBlock[] }

function Blocks({ blocks, levels, growing }: BlocksProps) {
  return (
    <>
      {blocks.map((block, at) => (
        <Block key={at} block={block} levels={levels} growing={growing} />
      ))}
    </>
  )
}

type ListProps = BlockProps & { readonly block: Extract<MarkdownBlock, { type: 'list' }> }

function List({ block, levels, growing }: ListProps) {
  const { start, loose, items } = block
  const dir = directionOf([block])
  const shown = items.map((item, at) => <Item key={at} item={item} loose={loose} levels={levels} growing={growing} />)
  if (start === undefined) return <ul dir={dir}>{shown}</ul>
  return (
    <ol dir={dir} start={start}>
      {shown}
    </ol>
  )
}

type ItemProps = Omit<BlockProps, 'block'> & { readonly item: ListItem; readonly loose: boolean }

function Item({ item: { checked, blocks }, loose, levels, growing }: ItemProps) {
  return (
    <li>
      {checked !== undefined && <input type="checkbox" disabled checked={checked} aria-label="Done" />}
      {blocks.map((block, at) =>
        block.type === 'paragraph' && !loose ? (
          <Spans key={at} spans={block.spans} growing={growing} />
        ) : (
          <Block key={at} block={block} levels={levels} growing={growing} />
        ),
      )}
    </li>
  )
}

type TableProps = { readonly block: Extract<MarkdownBlock, { type: 'table' }>; readonly growing: boolean }

/** A wide table scrolls inside its frame, by the keyboard too. */
function Table({ block, growing }: TableProps) {
  const { aligns, head, rows } = block
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="Table">
      <table dir={directionOf([block])}>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} align={alignOf(aligns[at])}>
                <Spans spans={cell} growing={growing} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at} align={alignOf(aligns[at])}>
                  <Spans spans={cell} growing={growing} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function alignOf(align: Align): Exclude<Align, 'left'> {
  return align === 'left' ? undefined : align
}

function Spans({ spans, growing }: { spans: readonly Span[]; growing: boolean }) {
  return (
    <>
      {spans.map((span, at) => (
        <SpanView key={at} span={span} growing={growing} />
      ))}
    </>
  )
}

function SpanView({ span, growing }: { span: Span; growing: boolean }) {
  switch (span.type) {
    case 'text':
      return <>{span.text}</>
    case 'code':
      return <code>{span.text}</code>
    case 'math':
      return <Formula key={span.text} tex={span.text} display={span.display} plain={growing} />
    case 'note':
      return <sup>{span.label}</sup>
    case 'break':
      return <br />
    case 'link':
      // Opens in a new tab, sends no referrer, and shows its target as the tooltip.
      return (
        <a class="link" href={span.href} title={span.href} target="_blank" rel="noopener noreferrer nofollow">
          <Spans spans={span.spans} growing={growing} />
        </a>
      )
    case 'em':
    case 'strong':
    case 'del': {
      const Tag = span.type
      return (
        <Tag>
          <Spans spans={span.spans} growing={growing} />
        </Tag>
      )
    }
    default:
      return span satisfies never
  }
}
