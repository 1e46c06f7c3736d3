// Letters that look alike, as one: what a reader takes for the same sign.

/** Pairs: a letter, and the Latin one it is taken for. Cyrillic, Greek, small capitals, strokes, others. */
const pairs = `
аa вb сc ԁd еe ёe һh нh іi їi јj кk ӏl мm пn оo рp ԛq гr ѕs тt цu ѵv ԝw хx уy зz єe ғf αa βb ϲc δd εe
ηn ιi κk μu νv οo ρp σo τt υu χx γy ωw ϳj ζz ıi ɩi ɑa ɡg ɪi ʟl ɴn ʀr ꜱs ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ᴊj ᴋk
ᴍm ᴏo ᴘp ᴛt ᴜu ᴠv ᴡw ʏy ᴢz øo łl đd ħh ŧt ƒf ꞙf ẝf ǀl ոn սu օo ցg հh տm եt ℯe ℓl ⅼl
ꓮa ꓐb ꓚc ꓓd ꓰe ꓝf ꓖg ꓧh ꓲi ꓙj ꓗk ꓡl ꓟm ꓠn ꓳo ꓑp ꓣr ꓢs ꓔt ꓴu ꓦv ꓪw ꓫx ꓬy ꓜz
ᗅa ᗩa ᗷb ᑕc ᗪd ᗴe ᖴf ᕼh ᒪl ᗰm ᑎn ᑭp ᖇr ᔕs ᑌu ᐯv ᗯw Ꭰd Ꭱr Ꭲt Ꭵi Ꭺa Ꭼe Ꮯc Ꮪs Ꮮl Ꮃw Ꮇm Ꮋh Ꮲp Ꮶk Ꮩv Ꮐg`

/** Whole alphabets in a row, with their first letter. */
const alphabets: readonly number[] = [0x1f1e6, 0x1f150, 0x1f170]

const alike: ReadonlyMap<string, string> = new Map(
  pairs
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
)

/** A letter in lower case and plain Latin where it looks Latin; empty where it is only an accent. */
export function foldLetter(letter: string): string {
  const code = letter.codePointAt(0) ?? 0
  if (code < 128) return letter.toLowerCase()
  if (code > 0xe0020 && code < 0xe007f) return String.fromCharCode(code - 0xe0000).toLowerCase()
  const first = alphabets.find((from) => code >= from && code < from + 26)
  if (first !== undefined) return String.fromCharCode(97 + code - first)
  const lower = letter.toLowerCase()
  const known = alike.get(lower) ?? alike.get(letter)
  if (known) return known
  const plain = lower.normalize('NFKD').replaceAll(/[\p{Mn}\p{Cf}\p{Cc}()]/gu, '')
  return alike.get(plain) ?? plain
}
