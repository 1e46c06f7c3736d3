// Text from outside on a terminal. Whoever wrote it may try to move the cursor, or to hide and reorder what is read.

const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** The text with every letter that is not seen as its number; lines and tabs stay where `lines` says so. */
export function printable(text: string, { lines = false }: { lines?: boolean } = {}): string {
  return text.replaceAll(unseen, (letter) => {
    if (lines && (letter === '\n' || letter === '\t')) return letter
    return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`
  })
}

/** True when a text has letters that a person who reads it does not see; line ends and tabs are none. */
export function hasUnseen(text: string): boolean {
  return printable(text, { lines: true }) !== text
}
