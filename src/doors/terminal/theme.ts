// The theme: colours by meaning, symbols, and fallbacks for terminals without colour or UTF-8.
import { hash } from 'node:crypto'
import { type MarkdownTheme, visibleWidth } from '@earendil-works/pi-tui'
import { piecesOf } from './pieces.ts'

/** The capabilities of a terminal. */
export type Shows = {
  readonly colour: boolean
  readonly utf8: boolean
  /** Writes the commands in a text so that they work in this shell. */
  readonly commands?: Paint
}

export type Paint = (text: string) => string

export type Theme = {
  /** For activity, selection and success. */
  readonly act: Paint
  /** Only for things that wait for the user. */
  readonly sun: Paint
  /** For failures and danger. */
  readonly clay: Paint
  readonly dim: Paint
  readonly bold: Paint
  /** Writes the commands in a text of the service so that they work in this shell. */
  readonly commands: Paint
  /** For the selected line. */
  readonly chosen: Paint
  /** A hyperlink, in terminals that support them. Only for trusted text. */
  readonly link: (text: string, url: string) => string
  /** Replaces characters that the terminal cannot show, in a finished line. */
  readonly fit: Paint
}

export const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const

export function createTheme({ colour, utf8, commands = (text) => text }: Shows): Theme {
  const sgr =
    (code: string, end: string): Paint =>
    (text) =>
      `\u001b[${code}m${text}\u001b[${end}m`
  const coloured = (code: string, end: string): Paint => (colour ? sgr(code, end) : (text) => text)
  return {
    act: coloured('36', '39'),
    sun: coloured('33', '39'),
    clay: coloured('31', '39'),
    dim: coloured('2', '22'),
    bold: sgr('1', '22'),
    commands,
    chosen: sgr('7', '27'),
    // The id joins the pieces of a link that is wrapped over lines.
    link: (text, url) => `\u001b]8;id=${linkName(url)};${url}\u001b\\${text}\u001b]8;;\u001b\\`,
    fit: utf8 ? (line) => line : inAscii(),
  }
}

function linkName(url: string): string {
  return hash('sha256', url, 'hex').slice(0, 8)
}

const signs: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '▸': '>',
    '▾': 'v',
    '✓': '+',
    '▲': '!',
    '✕': 'x',
    '●': '*',
    '○': 'o',
    '▌': '|',
    '▏': '|',
    '▣': '#',
    '■': '#',
    '─': '-',
    '┄': '.',
    '│': '|',
    '·': '-',
    '…': '~',
    '↪': '\\',
    '←': '<',
    '→': '>',
    '↑': '^',
    '↓': 'v',
    '•': '*',
    '’': "'",
    '‘': "'",
    '“': '"',
    '”': '"',
    '–': '-',
    '␉': '>',
    '⎘': '@',
    '█': '_',
  }),
)

/** Replaces characters beyond ASCII. Each keeps its width, an emoji of several letters too, so that the layout does not move. */
function inAscii(): Paint {
  const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  // oxlint-disable-next-line no-control-regex -- these are the letters that stay
  return (line) => line.replaceAll(/[^\x00-\x7f]+/g, (run) => Array.from(letters.segment(run), inSigns).join(''))
}

function inSigns({ segment: letter }: Intl.SegmentData): string {
  const sign = signs.get(letter)
  if (sign !== undefined) return sign
  if (/^[\u2500-\u257f]/.test(letter)) return '+'
  return (/^[\u2800-\u28ff]/.test(letter) ? '*' : '?').repeat(visibleWidth(letter))
}

/** The look of a reply's Markdown in this many columns. */
export function markdownTheme({ act, dim, bold }: Theme, columns: number): MarkdownTheme {
  const plain: Paint = (text) => text
  return {
    heading: bold,
    link: act,
    linkUrl: dim,
    code: act,
    codeBlock: plain,
    // The library passes the fence; a rule with the language's name replaces it.
    codeBlockBorder: (fence) => {
      const name = fence.replace(/^[`~]+/, '').trim()
      const words = name === '' ? '' : `${name} `
      return `  ${dim(`${words}${'─'.repeat(Math.max(2, columns - words.length - 4))}`)}`
    },
    codeBlockIndent: '  ',
    highlightCode: (code) => code.split('\n').flatMap((line) => wrapCode(line, columns - 4, dim)),
    quote: plain,
    quoteBorder: dim,
    hr: dim,
    listBullet: act,
    bold,
    italic: (text) => `\u001b[3m${text}\u001b[23m`,
    strikethrough: (text) => `\u001b[9m${text}\u001b[29m`,
    underline: (text) => `\u001b[4m${text}\u001b[24m`,
  }
}

/** Wraps a line of code; continuation lines begin with ↪. */
function wrapCode(line: string, columns: number, dim: Paint): string[] {
  return piecesOf(line, columns - 2, columns).map((piece, at) => (at === 0 ? piece : `${dim('↪')} ${piece}`))
}
