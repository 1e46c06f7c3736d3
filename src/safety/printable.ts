// Text from outside on a terminal. Whoever wrote it may try to move the cursor, or to hide and reorder what is read.

const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** The text with every letter that is not seen as its number; lines and tabs stay where `lines` says so. */
export function printable(text: string, { lines = false }: { lines?: boolean } = {}): string {
  return text.replaceAll(unseen, (letter) => {
    if (lines && (letter === '\n' || letter === '\t')) return letter
    return numberOf(letter)
  })
}

/**
 * Prose that comes in pieces, for a terminal. Lines and tabs stay, and so do the joiners that some scripts and emoji are
 * written with; a letter or a line end that was cut in two waits for its other half.
 */
export function createProse(): { next(piece: string): string; end(): string } {
  let held = ''
  return {
    next(piece) {
      const text = held + piece
      held = /[\r\ud800-\udbff]$/.exec(text)?.[0] ?? ''
      return proseOf(text.slice(0, text.length - held.length))
    },
    end() {
      const text = held
      held = ''
      return proseOf(text)
    },
  }
}

/** Prose that is there as a whole. */
export function proseOf(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(unseen, (letter) => (stays.has(letter) ? letter : numberOf(letter)))
}

const stays: ReadonlySet<string> = new Set(['\n', '\t', '\u200c', '\u200d'])

function numberOf(letter: string): string {
  return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`
}

/** True when a text has letters that a person who reads it does not see; line ends and tabs are none. */
export function hasUnseen(text: string): boolean {
  return printable(text, { lines: true }) !== text
}
