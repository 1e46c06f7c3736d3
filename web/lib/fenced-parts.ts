// The code blocks of a text that is not Markdown otherwise: a message that a person typed. Pure.
import { closesFence, type Fence, fenceOf } from './markdown-lines.ts'

export type FencedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string; readonly language: string }

/** The text in its order. A fence that is not closed is text. */
export function fencedParts(text: string): FencedPart[] {
  const parts: FencedPart[] = []
  let plain: string[] = []
  let open: { readonly fence: Fence; readonly first: string; readonly lines: string[] } | undefined
  const flush = (): void => {
    const words = plain.join('\n').replace(/^\n+|(?<!\n)\n+$/g, '')
    if (words !== '') parts.push({ type: 'text', text: words })
    plain = []
  }
  for (const line of text.split('\n')) {
    const fence = open ? undefined : fenceOf(line)
    if (fence) open = { fence, first: line, lines: [] }
    else if (open && closesFence(line, open.fence)) {
      flush()
      parts.push({ type: 'code', text: open.lines.join('\n'), language: /^[^\s`]*/.exec(open.fence.info)?.[0] ?? '' })
      open = undefined
    } else (open?.lines ?? plain).push(line)
  }
  if (open) plain.push(open.first, ...open.lines)
  flush()
  return parts
}
