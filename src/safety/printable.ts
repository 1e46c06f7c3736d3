// Makes text from outside safe to show, on a terminal and in the browser app: no cursor movement, no hidden or reordered
// text.

/**
 * Control, format, private-use and surrogate characters, line and paragraph separators, and what is drawn as nothing: all
 * that Unicode lets a program leave out (\p{DI}: fillers, variation selectors), and blank signs.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu

const maxReasonChars = 500

/** Writes every unprintable character as its number, `\u{…}`. With `lines`, line ends and tabs stay. */
export function printable(text: string, { lines = false }: { lines?: boolean } = {}): string {
  return text.replaceAll(unprintable, (letter) => (lines && /[\n\t]/.test(letter) ? letter : escaped(letter)))
}

/** The first characters of a text in one printable line: the reason that somebody else's code gave, within a message. */
export function oneLine(text: string): string {
  return printable(text.slice(0, maxReasonChars).replaceAll(/\s+/g, ' ')).trim()
}

/**
 * Makes streamed prose printable. Line ends, tabs, and the joiners and variation selectors of some scripts and emoji stay.
 * Half of a surrogate pair or of a line end at the end of a piece waits for the next piece.
 */
export function createProse(): { next(piece: string): string; end(): string } {
  let pending = ''
  return {
    next(piece) {
      const text = pending + piece
      pending = /[\r\ud800-\udbff]$/.exec(text)?.[0] ?? ''
      return proseOf(text.slice(0, text.length - pending.length))
    },
    end() {
      const text = pending
      pending = ''
      return proseOf(text)
    },
  }
}

/** Makes a whole prose text printable; see `createProse`. */
export function proseOf(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(unprintable, (letter) => (allowedInProse.test(letter) ? letter : escaped(letter)))
}

const allowedInProse = /[\n\t\u200c\u200d\p{VS}]/u

function escaped(letter: string): string {
  return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`
}

/** A text without its unprintable characters, line ends included. */
export function withoutUnprintable(text: string): string {
  return text.replaceAll(unprintable, '')
}

/** True when a text has unprintable characters other than line ends, tabs, and one variation selector after a letter. */
export function hasUnprintable(text: string): boolean {
  const plain = text.replaceAll(/(?<=[^\p{VS}])\p{VS}(?!\p{VS})/gu, '')
  return printable(plain, { lines: true }) !== plain
}

/** Text of a tool without NUL characters: providers and databases refuse them, and between letters they hide a secret. */
export function withoutNuls(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}
