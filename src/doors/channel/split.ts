// Splits a reply into messages of a bounded length. Code that is too long for a message becomes a file.
import { type Fence, fenceOf } from './fence.ts'

export type Piece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly name: string; readonly text: string }

type Block = { readonly type: 'prose'; readonly text: string } | Code
type Code = { readonly type: 'code'; readonly text: string; readonly language: string; readonly body: string }

/** A cut at the end of a paragraph, line or word must leave at least so much of a message. */
const minFill = 0.5
/** A longer blank in a plain text is counted instead. */
const maxBlankChars = 200

/**
 * The messages of a Markdown text, each of at most `maxChars` UTF-16 units. Code is not cut: it stays whole in a message,
 * or goes as a file after a line that names it. The first piece is always text. Where a message was cut does not change
 * as the text grows.
 */
export function splitReply(markdown: string, maxChars: number): Piece[] {
  const pieces: Piece[] = []
  let text = ''
  let files = 0
  const flush = (): void => {
    if (text.trim() !== '') pieces.push({ type: 'text', text: text.trim() })
    text = ''
  }
  const add = (more: string): void => {
    let rest = more
    while (text.length + rest.length > maxChars) {
      const at = cutAt(rest, maxChars - text.length, text.length === 0 ? maxChars * minFill : 0)
      // No part of a long word fits after the text so far.
      const index = text === '' || at.soft ? at.index : 0
      text += rest.slice(0, index)
      rest = rest.slice(index)
      flush()
      rest = rest.replace(/^\s+/, '')
    }
    text += rest
  }
  for (const block of blocksOf(markdown)) {
    if (block.type === 'prose') add(block.text)
    else if (block.text.length <= maxChars) {
      if (text.length + block.text.length > maxChars) flush()
      text += block.text
    } else {
      const name = fileName(++files, block.language)
      add(`${text.endsWith('\n') || text === '' ? '' : '\n'}[${name}]\n`)
      flush()
      pieces.push({ type: 'file', name, text: block.body })
    }
  }
  flush()
  return pieces
}

/** The messages of a text that is shown as it is, but that a long blank is counted: no message may be blank. */
export function splitPlain(text: string, maxChars: number): string[] {
  const parts: string[] = []
  let rest = text.trim().replace(/\s+/g, (blank) => {
    if (blank.length <= Math.min(maxBlankChars, maxChars / 4)) return blank
    return ` [${blank.length} ${/^ *$/.test(blank) ? 'spaces' : 'blank characters'}] `
  })
  while (rest.length > maxChars) {
    const { index } = cutAt(rest, maxChars, maxChars * minFill)
    parts.push(rest.slice(0, index))
    rest = rest.slice(index).replace(/^\n+/, '')
  }
  return [...parts, rest]
}

/**
 * Where to cut a text that is too long: after a paragraph, a line or a word (`soft`) that ends at `min` or later, else
 * anywhere but within a character.
 */
function cutAt(text: string, maxChars: number, min: number): { readonly index: number; readonly soft: boolean } {
  const window = text.slice(0, maxChars)
  for (const end of ['\n\n', '\n', ' ']) {
    const at = window.lastIndexOf(end)
    if (at >= min && at >= 0) return { index: at + end.length, soft: true }
  }
  const last = text.charCodeAt(maxChars - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return { index: splitsPair ? maxChars - 1 : maxChars, soft: false }
}

/** Prose and fenced code, in order. A fence that is still open lasts to the end. */
function* blocksOf(markdown: string): Generator<Block> {
  let prose = ''
  let code: (Fence & { readonly lines: string[] }) | undefined
  const lines = markdown.split('\n')
  for (const [at, line] of lines.entries()) {
    const end = at < lines.length - 1 ? '\n' : ''
    const fence = fenceOf(line)
    if (code) {
      if (fence?.language === '' && fence.fence.startsWith(code.fence)) {
        yield codeBlock(code, end)
        code = undefined
      } else code.lines.push(line)
    } else if (fence) {
      if (prose !== '') yield { type: 'prose', text: prose }
      prose = ''
      code = { ...fence, lines: [] }
    } else prose += line + end
  }
  if (code) yield codeBlock(code, '')
  if (prose !== '') yield { type: 'prose', text: prose }
}

function codeBlock(
  { fence, language, lines }: { fence: string; language: string; lines: string[] },
  end: string,
): Code {
  const body = lines.join('\n')
  return { type: 'code', language, body, text: `${fence}${language}\n${body}\n${fence}${end}` }
}

/** Languages whose names are the endings of their files. */
const plainEndings: ReadonlySet<string> = new Set(
  'c cpp css csv diff go html java js json jsx md php py rb rs sh sql swift toml ts tsx xml yaml'.split(' '),
)
const endings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bash: 'sh',
    'c++': 'cpp',
    csharp: 'cs',
    javascript: 'js',
    kotlin: 'kt',
    markdown: 'md',
    python: 'py',
    ruby: 'rb',
    rust: 'rs',
    shell: 'sh',
    typescript: 'ts',
    yml: 'yaml',
  }),
)

function fileName(number: number, language: string): string {
  const name = language.toLowerCase()
  return `code-${number}.${plainEndings.has(name) ? name : (endings.get(name) ?? 'txt')}`
}
