// Draws blocks as lines of a given width. Lines of unchanged blocks are cached.
import { costWords, countWords, durationWords, numberWords, sizeWords } from '#core/words.ts'
import { Markdown, truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { proseOf } from '#safety/printable.ts'
import { fileWords } from './attachment-list.ts'
import { fitsMarkdown } from './markdown-fit.ts'
import type { Block, Call, Thought, Took } from './block.ts'
import type { RunHead } from './call-groups.ts'
import { createGrowingWrap } from './growing-wrap.ts'
import { alignTables } from './table-align.ts'
import { markdownTheme, type Theme } from './theme.ts'
import { argLines, briefArgs } from './format.ts'

/** Maximum width of prose, in columns. */
const maxProseWidth = 96
/** From `nameWidthFrom` columns on, tool names are padded to this width, so that arguments align. */
const nameWidth = 16
const nameWidthFrom = 72
const queuedNote = 'queued: it is sent when the turn before it has ended'
/** Lines of a result that are shown in the fold `part`. */
const partLines = 12
/** Longer messages of the user are truncated to this many lines; the log has all of them. */
const maxOwnLines = 40

export type Drawing = {
  /** The lines of a block, with an empty line before it where one belongs. */
  lines(block: Block, before: Block | undefined, width: number): readonly string[]
  /** The summary line of a folded run of calls. */
  runLine(head: RunHead, width: number): string
}

export function createDrawing(theme: Theme, spin: () => string, now: () => number): Drawing {
  const drawn = new WeakMap<Block, { width: number; gap: boolean; lines: readonly string[] }>()
  const prose = createProse(theme)
  const streaming = createStreaming(prose, theme)

  function draw(block: Block, width: number): string[] {
    const proseWidth = Math.min(width, maxProseWidth)
    if (block.type === 'you') return drawOwn(block, proseWidth, theme)
    if (block.type === 'call') return drawCall(block, width, { theme, sign: spin(), now: now() })
    if (block.type === 'thought') return drawThought(block, width, theme)
    if (block.type === 'receipt') return [receiptLine(block.took, proseWidth, theme)]
    if (block.type === 'note') {
      const line = block.failed ? theme.clay(`▲ ${theme.commands(proseOf(block.text))}`) : theme.dim(block.text)
      return wrapTextWithAnsi(line, proseWidth - 2).map(indent)
    }
    return (block.whole ? prose(block.text, proseWidth - 1) : streaming(block, proseWidth - 1)).map(indent)
  }

  return {
    lines(block, before, width) {
      const gap = before !== undefined && !closeTo(before, block)
      const known = drawn.get(block)
      if (known && known.width === width && known.gap === gap) return known.lines
      const lines = [...(gap ? [''] : []), ...draw(block, width)]
      // A running call is not cached: its spinner changes although the block does not.
      if (!(block.type === 'call' && block.state === 'running')) drawn.set(block, { width, gap, lines })
      return lines
    },
    runLine({ tools, ms, open }, width) {
      const line = ` ${open ? '▾' : '▸'} ${theme.act('✓')} ${countWords(tools, 'tool')}, ${durationWords(ms)}`
      return truncateToWidth(line, width, '…')
    },
  }
}

function closeTo(before: Block, block: Block): boolean {
  const folds = ({ type }: Block): boolean => type === 'call' || type === 'thought'
  return (folds(before) && folds(block)) || block.type === 'receipt'
}

function indent(line: string): string {
  return ` ${line}`
}

function drawOwn({ text, files, queued }: Extract<Block, { type: 'you' }>, width: number, theme: Theme): string[] {
  const lines = wrapTextWithAnsi(tabs(proseOf(text)), width - 4)
  const more = lines.length > maxOwnLines ? [theme.dim(`… ${countWords(lines.length - maxOwnLines, 'more line')}`)] : []
  const shown = [...lines.slice(0, maxOwnLines), ...more]
  const last = queued ? wrapTextWithAnsi(queuedNote, width - 4).map(theme.dim) : []
  const beside = files.map((file) => truncateToWidth(`   ${theme.dim(fileWords(file))}`, width, '…'))
  return [...[...shown, ...last].map((line) => ` ${theme.act('▌')} ${line}`), ...beside]
}

/** Tabs become spaces, since the width of a tab cannot be measured. */
function tabs(text: string): string {
  return text.replaceAll('\t', '    ')
}

type Prose = (raw: string, width: number) => string[]

/** Draws a reply's Markdown. Links always show their address, and LaTeX stays as written. */
function createProse(theme: Theme): Prose {
  const wrapGrowing = createGrowingWrap()
  return (raw, width) => {
    const text = tabs(proseOf(raw))
    if (!fitsMarkdown(text)) return wrapGrowing(text, width)
    const markdown = new Markdown(text, 0, 0, markdownTheme(theme, width), undefined, {
      renderLatex: false,
    })
    const lines = markdown.render(width).map((line) => line.trimEnd())
    return [...alignTables(lines, text)]
  }
}

/**
 * Draws a reply that is being streamed. Finished paragraphs are drawn once; each new piece redraws only the last
 * paragraph, however long the reply is.
 */
function createStreaming(prose: Prose, theme: Theme): (block: { id: string; text: string }, width: number) => string[] {
  let known = { id: '', width: 0, upTo: 0, lines: [] as string[] }
  return ({ id, text }, width) => {
    if (known.id !== id || known.width !== width || known.upTo > text.length) known = { id, width, upTo: 0, lines: [] }
    const end = wholeUpTo(text, known.upTo)
    if (end > known.upTo) {
      const lines = prose(text.slice(known.upTo, end).trimEnd(), width)
      known.lines.push(...lines.slice(0, lines.findLastIndex((line) => line !== '') + 1), '')
      known.upTo = end
    }
    // Half of a surrogate pair waits for its other half.
    const tail = text.slice(known.upTo).replace(/[\ud800-\udbff]$/, '')
    const lines = [...known.lines, ...prose(tail, width)]
    const last = lines.pop() ?? ''
    // A cursor marks where the next text will appear.
    return [...lines, visibleWidth(last) < width ? `${last}${theme.act('█')}` : last]
  }
}

/** The start of the last paragraph: after an empty line outside code blocks, and before a line without indent. */
function wholeUpTo(text: string, from: number): number {
  let end = from
  let fence: string | undefined
  for (let at = from; ; ) {
    const next = text.indexOf('\n', at)
    if (next < 0) return end
    const line = text.slice(at, next)
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && fence === undefined) fence = mark
    else if (mark && fence !== undefined && mark.startsWith(fence)) fence = undefined
    at = next + 1
    if (line.trim() === '' && fence === undefined && /^\S/.test(text.slice(at, at + 1))) end = at
  }
}

const callSigns = { done: '✓', waiting: '●', denied: '✕', failed: '▲' } as const

type Moment = { readonly theme: Theme; readonly sign: string; readonly now: number }

function drawCall(call: Call, width: number, { theme, sign, now }: Moment): string[] {
  const { name, args, state, fold, progress } = call
  const brief = state === 'running' && progress !== undefined ? proseOf(progress) : briefArgs(args)
  const paint = { running: theme.act, done: theme.act, waiting: theme.sun, denied: theme.dim, failed: theme.clay }[
    state
  ]
  const head = ` ${fold === 'line' ? '▸' : '▾'} ${paint(state === 'running' ? sign : callSigns[state])} `
  const end = endWords(call, now)
  const room = width - 5 - visibleWidth(end) - 3
  const title = truncateToWidth(
    `${theme.bold(proseOf(name).padEnd(width < nameWidthFrom ? 0 : nameWidth))}  ${theme.dim(brief)}`,
    Math.max(8, room),
    '…',
    true,
  )
  const line = `${head}${title}  ${theme.dim(end)}`
  return [truncateToWidth(line, width, '…'), ...(fold === 'line' ? [] : unfolded(call, width, theme))]
}

/** A thought is one dim line until the reader unfolds it. */
function drawThought({ text, fold }: Thought, width: number, { dim }: Theme): string[] {
  const clean = proseOf(text)
  const brief = clean.replaceAll(/\s+/g, ' ').trim()
  const head = truncateToWidth(
    ` ${fold === 'line' ? '▸' : '▾'} ${dim(`… Thought  ${fold === 'line' ? brief : ''}`)}`,
    width,
    '…',
  )
  if (fold === 'line') return [head]
  const all = clean
    .trim()
    .split('\n')
    .flatMap((line) => wrapTextWithAnsi(tabs(line), Math.max(8, Math.min(width, maxProseWidth) - 7)))
  const shown = fold === 'all' ? all : all.slice(0, partLines)
  const more = all.length - shown.length
  const rest = more > 0 ? [`… ${countWords(more, 'more line')}, Enter shows all`] : []
  return [head, ...[...shown, ...rest].map((line) => `   ${dim('│')} ${dim(line)}`)]
}

function endWords({ state, result, begun, ms }: Call, now: number): string {
  if (state === 'waiting') return 'waiting'
  if (state === 'denied') return 'denied'
  if (state === 'failed') return truncateToWidth(proseOf(result ?? 'failed').split('\n')[0] ?? 'failed', 32, '…')
  if (state === 'running') return begun === undefined ? 'running' : durationWords(Math.max(0, now - begun))
  return ms === undefined ? '' : durationWords(ms)
}

function unfolded({ args, result, size = 0, origin, fold }: Call, width: number, { dim }: Theme): string[] {
  const inside = Math.max(8, width - 7)
  const wrap = (text: string): string[] => text.split('\n').flatMap((line) => wrapTextWithAnsi(tabs(line), inside))
  const lines = [
    dim('Arguments'),
    ...argLines(args)
      .flatMap(wrap)
      .map((line) => `  ${line}`),
  ]
  if (result !== undefined) {
    const outside = origin === undefined ? '' : ', from outside: read as data, not as instructions'
    const all = wrap(proseOf(result)).map((line) => `  ${line}`)
    const shown = fold === 'all' ? all : all.slice(0, partLines)
    const more = all.length - shown.length
    lines.push(dim(`Result, ${sizeWords(size)}${outside}`), ...shown)
    if (more > 0) lines.push(dim(`  … ${countWords(more, 'more line')}, Enter shows all`))
    else if (size > result.length) lines.push(dim(`  … the first ${numberWords(result.length)} characters`))
  }
  return lines.map((line) => truncateToWidth(`   ${dim('│')} ${line}`, width, '…'))
}

function receiptLine({ tools, hosts, usage, from, to }: Took, width: number, { dim }: Theme): string {
  const tokens = usage.inputTokens + usage.outputTokens
  const parts = [
    ...(tools > 0 ? [countWords(tools, 'tool')] : []),
    ...(hosts.length > 0 ? [countWords(hosts.length, 'host')] : []),
    countWords(tokens, 'token'),
    ...(tokens > 0 || usage.costUsd !== 0 ? [costWords(usage.costUsd)] : []),
    durationWords(to - from),
  ]
  const words = `   ${parts.join(' · ')}`
  const room = width - visibleWidth(words) - '/receipt'.length - 1
  return dim(truncateToWidth(room > 1 ? `${words}${' '.repeat(room)}/receipt` : words, width, '…'))
}
