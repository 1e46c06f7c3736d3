// English stems by Porter's rules of 1980: what `connect`, `connected` and `connections` have in common.

const consonant = '[^aeiou]'
const vowel = '[aeiouy]'
const consonants = `${consonant}[^aeiouy]*`
const vowels = `${vowel}[aeiou]*`
/** At least one, exactly one, more than one change from vowels to consonants. */
const some = new RegExp(`^(${consonants})?${vowels}${consonants}`)
const one = new RegExp(`^(${consonants})?${vowels}${consonants}(${vowels})?$`)
const many = new RegExp(`^(${consonants})?${vowels}${consonants}${vowels}${consonants}`)
const hasVowel = new RegExp(`^(${consonants})?${vowel}`)
const shortEnd = new RegExp(`^${consonants}${vowel}[^aeiouwxy]$`)

const longer: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
]
const further: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]
const last = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$|^(.+?(?:s|t))(ion)$/

/** The stem of a lower-case word of the letters a to z. */
export function stem(word: string): string {
  if (word.length < 3) return word
  let w = word.startsWith('y') ? `Y${word.slice(1)}` : word
  w = plural(w)
  w = pastAndGoing(w)
  if (w.endsWith('y') && hasVowel.test(w.slice(0, -1))) w = `${w.slice(0, -1)}i`
  w = replaced(w, longer)
  w = replaced(w, further)
  const end = last.exec(w)
  const rest = end?.[1] ?? end?.[3]
  if (rest !== undefined && many.test(rest)) w = rest
  if (w.endsWith('e')) {
    const bare = w.slice(0, -1)
    if (many.test(bare) || (one.test(bare) && !shortEnd.test(bare))) w = bare
  }
  if (w.endsWith('ll') && many.test(w)) w = w.slice(0, -1)
  return w.toLowerCase()
}

function plural(w: string): string {
  if (w.endsWith('sses') || w.endsWith('ies')) return w.slice(0, -2)
  return w.endsWith('s') && !w.endsWith('ss') ? w.slice(0, -1) : w
}

function pastAndGoing(w: string): string {
  if (w.endsWith('eed')) return some.test(w.slice(0, -3)) ? w.slice(0, -1) : w
  const end = /(ed|ing)$/.exec(w)
  const bare = end ? w.slice(0, end.index) : ''
  if (!end || !hasVowel.test(bare)) return w
  if (/(at|bl|iz)$/.test(bare)) return `${bare}e`
  if (/([^aeiouylsz])\1$/.test(bare)) return bare.slice(0, -1)
  return shortEnd.test(bare) ? `${bare}e` : bare
}

function replaced(w: string, rules: readonly (readonly [string, string])[]): string {
  for (const [end, by] of rules) {
    if (!w.endsWith(end)) continue
    const bare = w.slice(0, -end.length)
    return some.test(bare) ? bare + by : w
  }
  return w
}
