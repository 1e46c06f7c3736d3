// One sign of a text as a forgiving reader takes it: as itself, or written by its number or name, one in another.

/** What opens a mark, or looks like it. */
const opening = '<＜﹤‹〈⟨〈❮❬❰《«≪⟪⟬ᐸᑄ˂˱⧼⦑⋖≺≮⪡𐰗'
/** An entity, the bytes of a letter in percent form, an escape of a programming language. */
const written = String.raw`&(?:amp;|#0*38;|#x0*26;)*(?:#0*(\d{2,7});?|#x0*([0-9a-f]{2,6});?|(lt);?|(nvlt|lang|langle|laquo|lsaquo|sol|bsol|hyphen|dash|nbsp|tab|newline|shy|lowbar|filig);)|((?:%(?:25)*[89a-f][0-9a-f]){2,4}|%(?:25)*[0-7][0-9a-f])|\\{1,4}(?:u(00[0-9a-f]{6}|[0-9a-f]{4}|\{0*[0-9a-f]{1,6}\})|x([0-9a-f]{2})|0{0,2}(74)|[nrt])`
const brackets = new RegExp(`[${opening}]|${written}`, 'giu')
const anySign = new RegExp(`${written}|[^]`, 'iuy')
const isOpening = new RegExp(`[${opening}]`, 'u')

const named: Readonly<Record<string, string>> = {
  lt: '<',
  nvlt: '<',
  lang: '⟨',
  langle: '⟨',
  laquo: '«',
  lsaquo: '‹',
  sol: '/',
  bsol: '\\',
  lowbar: '_',
  hyphen: '-',
  dash: '-',
  filig: 'ﬁ',
}

/** Where a text has a bracket that could open a mark. */
export function* bracketsIn(text: string): Generator<{ readonly start: number; readonly end: number }> {
  for (const found of text.matchAll(brackets)) {
    if (isOpening.test(decoded(found))) yield { start: found.index, end: found.index + found[0].length }
  }
}

/** The sign at a place, decoded, and where the next one stands. */
export function signAt(text: string, at: number): [letter: string, next: number] {
  const code = text.charCodeAt(at)
  if (code < 128 && code !== 0x26 && code !== 0x25 && code !== 0x5c) return [text[at] as string, at + 1]
  anySign.lastIndex = at
  const found = anySign.exec(text)
  return found ? [decoded(found), anySign.lastIndex] : [' ', text.length]
}

function decoded([whole, decimal, hex, less, entity, percent, unicode, byte, octal]: RegExpExecArray): string {
  if (decimal) return letterOf(Number.parseInt(decimal, 10))
  const code = hex ?? unicode?.replaceAll(/[{}]/g, '') ?? byte
  if (code) return letterOf(Number.parseInt(code, 16))
  if (octal) return letterOf(Number.parseInt(octal, 8))
  if (percent) return letterOfBytes(percent)
  if (less ?? entity) return named[(less ?? entity ?? '').toLowerCase()] ?? ' '
  return whole.length > 1 && whole.startsWith('\\') ? ' ' : whole
}

function letterOfBytes(percent: string): string {
  try {
    return decodeURIComponent(percent.replaceAll(/%(?:25)+/g, '%'))
  } catch {
    return ' '
  }
}

function letterOf(code: number): string {
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : ' '
}
