// A transcript over blocks of a test, and its window as one line.
import assert from 'node:assert/strict'
import type { Block, Call, Fold } from '#doors/terminal/block.ts'
import { createBlocks } from '#doors/terminal/blocks.ts'
import { createDrawing } from '#doors/terminal/drawing.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { createTranscript } from '#doors/terminal/transcript.ts'
import { plain } from './drawn.ts'

const theme = createTheme({ colour: false, utf8: true })

/** A note of so many lines: a0 a1 a2. */
export const note = (id: string, count: number): Block => {
  return { type: 'note', id, text: Array.from({ length: count }, (_, at) => `${id}${at}`).join('\n'), failed: false }
}
export const call = (id: string, more: Partial<Call> = {}): Call => {
  return {
    type: 'call',
    id,
    name: id,
    args: '{}',
    state: 'done',
    fold: 'line',
    ms: 1_000,
    result: 'of it',
    size: 5,
    ...more,
  }
}

/** A transcript over blocks that a test can add to. `shown` is its window, a line as one word, `-` for an empty one. */
export function over(first: readonly Block[], height: number) {
  let list = first
  const drawing = createDrawing(
    theme,
    () => '*',
    () => 0,
  )
  const blocksOf = () => ({
    ...createBlocks(() => 0),
    list: () => list,
    fold(id: string, fold: Fold) {
      list = list.map((block) => (block.id === id && block.type === 'call' ? { ...block, fold } : block))
    },
  })
  const transcript = createTranscript(drawing, theme)
  transcript.show(blocksOf())
  const shown = (focused = true, rows = height, asked?: string): string => {
    const lines = plain(transcript.render(60, rows, focused, asked))
    assert.equal(lines.length, rows)
    return lines
      .map((line) => {
        const [, open = '', sign = '', id = '', end = ''] = /^(«?) ([▸▾]) \S (.*?) {2,}.*?(»?)$/.exec(line) ?? []
        const run = /^(«?) ([▸▾]) ✓ (\d) tools, (\d)\.0 s(»?)$/.exec(line)
        if (run) return `${run[1]}${run[2]}${run[3]}tools${run[4]}s${run[5]}`
        return id === '' ? line.trim().replaceAll(' ', '') || '-' : `${open}${sign}${id}${end}`
      })
      .join(' ')
  }
  shown()
  return {
    transcript,
    shown,
    show: () => transcript.show(blocksOf()),
    become: (next: readonly Block[]): void => {
      list = next
    },
  }
}

/** As lines: a0 a1 a2 - ▸x - b0 b1 - ▸y ▸z - c0 c1 c2 */
export const thread = [note('a', 3), call('x'), note('b', 2), call('y'), call('z'), note('c', 3)]
