// Shows a text as Markdown, block by block. A long one is drawn in slices, so that the page stays quick. Code colours and
// formulas are chunks loaded at first use.
import type { ComponentChild, VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { directionOf } from '../lib/direction.ts'
import { type HeadingLevels, headingLevels } from '../lib/heading-levels.ts'
import { formattedLength, type MarkdownText, readMarkdown } from '../lib/markdown.ts'
import type { MarkdownLimits } from '../lib/markdown-reading.ts'
import type { Align, ListItem, MarkdownBlock, Span } from '../lib/markdown-tree.ts'
import { Code } from './code.tsx'
import { Formula } from './formula.tsx'
import { LongText, PlainText } from './long-text.tsx'
import './markdown.css'

/** Elements that are drawn at once. */
const sliceNodes = 300
/** Blocks that are drawn or passed over together. */
const groupBlocks = 32
/** A formula takes as long as so many elements. */
const formulaNodes = 20
/** A block of code has a frame, its language and a button. */
const codeNodes = 8

type Props = {
  readonly text: string
  /** Text is still streaming in: code and formulas of the last block stay plain. */
  readonly growing?: boolean
}

export function Markdown({ text, growing = false }: Props) {
  const known = useRef<MarkdownText>(undefined)
  const [nodes, setNodes] = useState(sliceNodes)
  const length = formattedLength(text)
  const { parts } = useMemo(() => (known.current = readMarkdown(text.slice(0, length), known.current)), [text])
  const levels = headingLevels(parts.map(({ block }) => block))
  const shown: Shown[] = []
  let left = nodes
  for (const { block, used } of parts) {
    if (left <= 0) break
    const own = nodesOf(used)
    shown.push({ block, growing: growing && shown.length === parts.length - 1, nodes: own > left ? left : Infinity })
    left -= own
  }
  const more = left < 0 || shown.length < parts.length
  useEffect(() => {
    if (more) setNodes(nodes + sliceNodes)
  }, [more, nodes])
  return (
    <div class="markdown" aria-busy={more}>
      {groupsOf(shown).map((group, at) => (
        <Group key={at} blocks={group} levels={levels} />
      ))}
      {!more && length < text.length && <LongText text={text.slice(length)} shown={0} />}
    </div>
  )
}

function nodesOf({ nodes, formulas }: MarkdownLimits): number {
  return nodes + formulas * formulaNodes
}

type BlockProps = { readonly block: MarkdownBlock; readonly levels: HeadingLevels; readonly growing: boolean }
type Shown = Omit<BlockProps, 'levels'> & { readonly nodes: number }

function groupsOf(shown: readonly Shown[]): readonly (readonly Shown[])[] {
  return Array.from({ length: Math.ceil(shown.length / groupBlocks) }, (_, at) =>
    shown.slice(at * groupBlocks, (at + 1) * groupBlocks),
  )
}

/** Memoised: a block is the same object as before only if all blocks before it are. */
function Group({ blocks, levels }: { readonly blocks: readonly Shown[]; readonly levels: HeadingLevels }) {
  const last = blocks.at(-1)
  return useMemo(
    () => (
      <>
        {blocks.map((each, at) => (
          <OwnBlock key={at} levels={levels} {...each} />
        ))}
      </>
    ),
    [blocks.length, last?.block, last?.growing, last?.nodes],
  )
}

/**
 * Memoised: while a text streams in, only its last blocks are drawn again, and only the last rows and items of these. The
 * levels of a block are given by those before.
 */
function OwnBlock({ block, levels, growing, nodes }: BlockProps & { readonly nodes: number }) {
  const loose = block.type === 'list' && block.loose
  const known = useMemo<Pen['known']>(() => new WeakMap(), [growing, loose])
  return useMemo(
    () => <div class="markdown-block">{drawBlock(block, { levels, growing, max: nodes, drawn: 0, known })}</div>,
    [block, growing, nodes],
  )
}

/** What is needed to draw, and how many elements are and may be drawn: by functions, which take less time than components. */
type Pen = Omit<BlockProps, 'block'> & {
  readonly max: number
  drawn: number
  /** Rows and items that were drawn whole: the same element again costs nothing. */
  readonly known: WeakMap<object, { readonly node: VNode; readonly nodes: number }>
}

function drawOnce(each: object, pen: Pen, draw: () => VNode): VNode {
  const before = pen.known.get(each)
  if (before && pen.drawn + before.nodes <= pen.max) {
    pen.drawn += before.nodes
    return before.node
  }
  const from = pen.drawn
  const node = draw()
  if (pen.drawn < pen.max) pen.known.set(each, { node, nodes: pen.drawn - from })
  return node
}

/** Draws one after the other, as many as there is room for. */
function drawEach<T>(list: readonly T[], pen: Pen, draw: (each: T) => ComponentChild): ComponentChild[] {
  const drawn: ComponentChild[] = []
  for (const each of list) {
    if (pen.drawn >= pen.max) break
    drawn.push(draw(each))
  }
  return drawn
}

function drawBlock(block: MarkdownBlock, pen: Pen): VNode {
  pen.drawn++
  switch (block.type) {
    case 'paragraph':
      return <p>{drawSpans(block.spans, pen)}</p>
    case 'heading': {
      const Heading = `h${pen.levels.get(block)}` as 'h2'
      return <Heading class={`heading-${block.depth}`}>{drawSpans(block.spans, pen)}</Heading>
    }
    case 'code':
      pen.drawn += codeNodes - 1
      return <Code text={block.text} language={block.language} growing={pen.growing} />
    case 'math':
      pen.drawn += formulaNodes
      return <Formula key={block.text} tex={block.text} display plain={pen.growing} />
    case 'rule':
      return <hr />
    case 'note':
      return (
        <p class="footnote">
          <sup>{block.label}</sup> {drawSpans(block.spans, pen)}
        </p>
      )
    case 'quote':
      return (
        <blockquote dir={directionOf(block.blocks)}>
          {drawEach(block.blocks, pen, (each) => drawBlock(each, pen))}
        </blockquote>
      )
    case 'list':
      return drawList(block, pen)
    case 'table':
      return drawTable(block, pen)
    case 'plain':
      return <PlainText text={block.text} />
    default:
      return block satisfies never
  }
}

function drawList(block: Extract<MarkdownBlock, { type: 'list' }>, pen: Pen): VNode {
  const { start, loose, items } = block
  const dir = directionOf([block])
  const drawItem = ({ checked, blocks }: ListItem): VNode => {
    pen.drawn++
    return (
      <li>
        {checked !== undefined && <input type="checkbox" disabled checked={checked} aria-label="Done" />}
        {drawEach(blocks, pen, (each) => {
          if (each.type !== 'paragraph' || loose) return drawBlock(each, pen)
          pen.drawn++
          return <>{drawSpans(each.spans, pen)}</>
        })}
      </li>
    )
  }
  const shown = drawEach(items, pen, (item) => drawOnce(item, pen, () => drawItem(item)))
  if (start === undefined) return <ul dir={dir}>{shown}</ul>
  return (
    <ol dir={dir} start={start}>
      {shown}
    </ol>
  )
}

/** A wide table scrolls inside its frame, by the keyboard too. */
function drawTable(block: Extract<MarkdownBlock, { type: 'table' }>, pen: Pen): VNode {
  const { aligns, head, rows } = block
  const cells = (row: readonly (readonly Span[])[], Cell: 'td' | 'th') =>
    row.map((cell, at) => {
      pen.drawn++
      return <Cell align={alignOf(aligns[at])}>{drawSpans(cell, pen)}</Cell>
    })
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="Table">
      <table dir={directionOf([block])}>
        <thead>
          <tr>{cells(head, 'th')}</tr>
        </thead>
        <tbody>{drawEach(rows, pen, (row) => drawOnce(row, pen, () => <tr>{cells(row, 'td')}</tr>))}</tbody>
      </table>
    </div>
  )
}

function alignOf(align: Align): Exclude<Align, 'left'> {
  return align === 'left' ? undefined : align
}

function drawSpans(spans: readonly Span[], pen: Pen): ComponentChild[] {
  return drawEach(spans, pen, (span) => drawSpan(span, pen))
}

function drawSpan(span: Span, pen: Pen): ComponentChild {
  if (span.type !== 'text') pen.drawn++
  switch (span.type) {
    case 'text':
      return span.text
    case 'code':
      return <code>{span.text}</code>
    case 'math':
      pen.drawn += formulaNodes
      return <Formula key={span.text} tex={span.text} display={span.display} plain={pen.growing} />
    case 'note':
      return <sup>{span.label}</sup>
    case 'break':
      return <br />
    case 'link':
      // Opens in a new tab, sends no referrer, and shows its target as the tooltip.
      return (
        <a class="link" href={span.href} title={span.href} target="_blank" rel="noopener noreferrer nofollow">
          {drawSpans(span.spans, pen)}
        </a>
      )
    case 'em':
    case 'strong':
    case 'del': {
      const Tag = span.type
      return <Tag>{drawSpans(span.spans, pen)}</Tag>
    }
    default:
      return span satisfies never
  }
}
