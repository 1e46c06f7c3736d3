// Renders a reply's Markdown block by block. The renderer, code colours and formulas are chunks loaded at first use.
import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { blocksOf, MarkdownBlock, nodesOf } from '../lib/markdown.ts'
import { copyButton } from './copy.tsx'
import './markdown.css'

type Reader = { readonly blocksOf: typeof blocksOf; readonly nodesOf: typeof nodesOf }

const reader = signal<Reader | undefined>(undefined)

/** Loads the renderer; call it early to avoid a flash of plain text. Without the renderer, texts are plain. */
export async function loadMarkdown(): Promise<void> {
  try {
    reader.value ??= await import('../lib/markdown.ts')
  } catch {
    // Loading failed: the next text tries again.
  }
}

type Props = {
  readonly text: string
  /** Text is still streaming in: code and formulas of the last block stay plain. */
  readonly growing?: boolean
}

export function Markdown({ text, growing = false }: Props) {
  const known = reader.value
  useEffect(() => {
    if (!known) void loadMarkdown()
  }, [])
  return known ? <Blocks reader={known} text={text} growing={growing} /> : <div class="markdown plain">{text}</div>
}

function Blocks({ reader: known, text, growing }: Required<Props> & { reader: Reader }) {
  const blocks = useMemo(() => known.blocksOf(text), [text])
  return (
    <div class="markdown">
      {blocks.map((block, at) => (
        <Block key={block.key} reader={known} block={block} growing={growing && at === blocks.length - 1} />
      ))}
    </div>
  )
}

function Block({ reader: known, block, growing }: { reader: Reader; block: MarkdownBlock; growing: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const nodes = known.nodesOf(block)
    for (const pre of nodes.querySelectorAll('pre')) dressCode(pre, growing)
    for (const table of nodes.querySelectorAll('table')) dressTable(table)
    if (!growing) for (const math of nodes.querySelectorAll<HTMLElement>('.math')) void dressMath(math)
    box.current?.replaceChildren(nodes)
  }, [block.raw, growing])
  return <div class="markdown-block" ref={box} />
}

/** Lets a wide table scroll inside its frame, by the keyboard too. */
function dressTable(table: HTMLTableElement): void {
  const frame = document.createElement('div')
  frame.className = 'table-frame'
  frame.tabIndex = 0
  frame.setAttribute('role', 'region')
  frame.setAttribute('aria-label', 'Table')
  table.replaceWith(frame)
  frame.append(table)
}

function dressCode(pre: HTMLPreElement, growing: boolean): void {
  const code = pre.querySelector('code')
  if (!code) return
  const language = /language-(\S+)/.exec(code.className)?.[1] ?? ''
  const frame = document.createElement('div')
  frame.className = 'code-frame'
  const bar = document.createElement('div')
  bar.className = 'code-bar'
  const label = document.createElement('span')
  label.textContent = language || 'text'
  bar.append(
    label,
    copyButton(() => code.textContent ?? ''),
  )
  pre.replaceWith(frame)
  pre.tabIndex = 0
  pre.setAttribute('role', 'region')
  pre.setAttribute('aria-label', `Code${language ? `, ${language}` : ''}`)
  frame.append(bar, pre)
  if (!growing && language) void colour(code, language)
}

async function colour(code: HTMLElement, language: string): Promise<void> {
  try {
    const { highlight } = await import('../lib/highlight.ts')
    const nodes = highlight(code.textContent ?? '', language.toLowerCase())
    if (nodes) code.replaceChildren(nodes)
  } catch {
    // The code stays plain.
  }
}

async function dressMath(math: HTMLElement): Promise<void> {
  const tex = math.textContent ?? ''
  try {
    const { typeset } = await import('../lib/math.ts')
    typeset(tex, math, math.tagName === 'DIV')
  } catch {
    math.textContent = tex
  }
}
