// Reads what stands in a message: its words, a sum, a day, a time zone.

/** What people say, and the word that they mean by it. */
const meanings: readonly (readonly [said: RegExp, means: string])[] = [
  [/\bhttps?:\/\//i, 'web'],
  [/\bcelsius\b/i, 'metric'],
  [/\bfahrenheit\b/i, 'imperial'],
  [/\b(?:tomorrow|tonight|weekend|next week|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i, 'forecast'],
  [/\b(?:forecast|rain|snow|sunny|temperature|umbrella|hot|cold|warm|windy|air quality)(?:ing|s)?\b/i, 'weather'],
]
/** Words that carry no subject. */
export const fillers = setOf(`a about am an and any are at be can could current do does find for from get give going has
  have hello here hey hi how i in is it know like list look m me my need next now of on or please read right s say search
  should show so t tell that the there this to today tool up us use want was what when where which who will with would
  you your`)
const timeWords = setOf('clock date day hour month time weekday year')
const besideTime = setOf('exact got local many left week until till')
/** Places that are not the city of a time zone, behind their zone. */
const places = `Asia/Kolkata india delhi mumbai bangalore kolkata; Asia/Shanghai china beijing shenzhen; Asia/Tokyo japan
  osaka; America/New_York boston washington miami nyc est; America/Los_Angeles california san_francisco seattle pst;
  America/Chicago texas houston dallas cst; Europe/Kyiv kyiv ukraine; Europe/Berlin germany munich hamburg frankfurt cet;
  Europe/Paris france; Europe/Rome italy milan; Europe/Madrid spain barcelona; Europe/London england uk; UTC utc gmt`

const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
/** Sums as they are spoken, and as `calculate` takes them. */
const spoken: readonly (readonly [said: RegExp, means: string])[] = [
  ...numbers.map((name, value) => [new RegExp(`\\b${name}\\b`, 'gi'), String(value)] as const),
  [/\bsquare root of ([\d.,]*\d|\([^()]*\))/gi, 'sqrt($1)'],
  [/\b(?:sum of|add) ([\d.,]*\d) (?:and|to) (?=\d)/gi, '$1 + '],
  [/\bfactorial of (\d+)|(?<=\d) factorial\b/gi, '$1!'],
  [/\bhalf (?:of )?(?=\d)/gi, '1/2 * '],
  [/ ?\bper ?cent\b/gi, '%'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\btimes\b|\bmultiplied by\b|(?<=\d ?)x(?= ?\d)/gi, '*'],
  [/\bdivided by\b/gi, '/'],
  [/\bto the power of\b/gi, '^'],
  [/ squared\b/gi, '^2'],
]
const sumPattern =
  /(?:\b[a-z]{2,5}\([^()a-z]*\)|\b(?:sqrt|abs|round|floor|ceil|min|max|log|ln|sin|cos|tan|pi|of|mod)\b|\d+(?:,\d{3})*(?:\.\d+)?|[-+*/^%()!×÷−·π.]|\s)+/gi
const operation = /[\d)%!πi] *(?:\*\*|[-+*/^%×÷−·]|of\b|mod\b) *[(-]*(?:[\d.π]|[a-z]+\(|pi\b)|^[a-z]+\(.*\)|\d!/
const dateOrPhone = /^(?:\d{4}([-/])\d+\1\d+|\d+([-/])\d+\2\d{4}|(?:\d{3}-)?\d{3}-\d{4})$/
const leadToSum = /(?:\bwhat(?:['’]?s)?|\bis|\bare|\bcalculate|\bcompute|\bsolve|\bwork out|:)(?: the)?\s*$/i

const dayPattern =
  /\b(?:day after tomorrow|tomorrow|yesterday|in \d{1,4} days?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}-\d\d-\d\d)\b/i
const dayMs = 86_400_000

function setOf(words: string): ReadonlySet<string> {
  return new Set(wordsOf(words))
}

/** The words of a text, a tool's name or a key, in lower case and without a plural's s. */
export function wordsOf(text: string): string[] {
  const words = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').match(/\p{L}+|\d+/gu) ?? []
  return words.map((word) => word.toLowerCase().replace(/(?<=ch|sh|x|ss)es$|(?<=\w\w[^siu])s$/, ''))
}

/** The words of a message, and those it means. */
export function meaningOf(message: string): ReadonlySet<string> {
  return new Set([...wordsOf(message), ...meanings.flatMap(([said, means]) => (said.test(message) ? [means] : []))])
}

/** Without the words at both ends that only lead to a value: fillers, what is meant by them, and the topic's own. */
export function trimmed(text: string, topic: ReadonlySet<string> = timeWords): string {
  const isOwn = (word: string) => fillers.has(word) || topic.has(word) || meanings.some(([said]) => said.test(word))
  const words = text.split(/\s+/)
  const carries = (word: string) => !wordsOf(word).every(isOwn)
  const kept = words.slice(Math.max(0, words.findIndex(carries)), words.findLastIndex(carries) + 1)
  return kept.join(' ').replace(/(?:['’]s)?[\s.,;:!?]*$/, '')
}

/** The sum that is asked for, as `calculate` takes it. A date, a phone number or figures within a story are none. */
export function sumIn(message: string): string | undefined {
  const text = spoken.reduce((text, [said, means]) => text.replaceAll(said, means), message)
  const hasWords = (part: string) => /\p{L}/u.test(part.replace(/please|equals?/i, ''))
  for (const run of text.matchAll(sumPattern)) {
    const sum = run[0].replace(/^(?:[\s.)*/^%!+×÷·]|of\b)+|(?:[\s.(+*/^×÷−·-]|\bof)+$/gi, '')
    const [before, after] = [text.slice(0, run.index), text.slice(run.index + run[0].length)]
    const isAsked = leadToSum.test(before) || !(hasWords(before) || hasWords(after))
    const isName = dateOrPhone.test(sum) || (/^\d+[-/]\d+$/.test(sum) && hasWords(after))
    if (isAsked && !isName && operation.test(sum)) return sum.replace(/(?<=[-+*/^].*)!$/, '')
  }
  return undefined
}

/** True when nothing is asked but the time or a day, here or at a place. */
export function asksTime(message: string, today: string): boolean {
  const isAsked =
    wordsOf(message).some((word) => timeWords.has(word)) || /^what is (?:today|tomorrow)\W*$/i.test(message)
  if (!isAsked) return false
  const undated = spelled(message.replace(dayIn(message, today)?.said ?? '', ' '))
  const words = wordsOf(undated.replace(zoneIn(message)?.said ?? '', ' '))
  return words.every((word) => timeWords.has(word) || besideTime.has(word) || fillers.has(word))
}

/** The zone of a place, and the words that name it. Behind "in" an unknown place is passed on, for the tool to refuse. */
export function zoneIn(message: string): { zone: string; said: string } | undefined {
  const iana = /\b[A-Z]\w+\/[\w/+-]+/.exec(message)?.[0]
  if (iana !== undefined) return { zone: iana, said: spelled(iana) }
  const text = ` ${spelled(message)} `
  const cities = Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone.split('/').at(-1) ?? ''])
  for (const [zone = '', ...names] of [...places.split(';').map((row) => row.trim().split(/\s+/)), ...cities]) {
    const ways = (name: string) => [` in ${name} `, ` at ${name} `, ` for ${name} `, ` time ${name} `, ` ${name} time `]
    const said = names
      .map((name) => name.replaceAll('_', ' ').toLowerCase())
      .find((name) => ways(name).some((way) => text.includes(way)))
    if (said !== undefined) return { zone, said }
  }
  const unknown = trimmed(/\bin ([^\d]{1,60})$/i.exec(message)?.[1] ?? '')
  return unknown === '' ? undefined : { zone: unknown, said: spelled(unknown) }
}

/** The day that a message names and how far it is from today; days are written 2026-03-04. */
export function dayIn(message: string, today: string): { day: string; said: string; away: number } | undefined {
  const said = dayPattern.exec(message)?.[0]
  if (said === undefined) return undefined
  const from = (days: number) => isoDay(Date.parse(today) + days * dayMs, 'UTC')
  const week = [1, 2, 3, 4, 5, 6, 7].find((days) => fullDay(from(days)).toLowerCase().startsWith(said.toLowerCase()))
  const near = { yesterday: -1, tomorrow: 1, 'day after tomorrow': 2 }[said.toLowerCase()] ?? week
  const away =
    near ?? (/^in /i.test(said) ? Number(/\d+/.exec(said)?.[0]) : (Date.parse(said) - Date.parse(today)) / dayMs)
  return Number.isNaN(away) ? undefined : { day: from(away), said, away }
}

/** "Wednesday, 4 March 2026" for 2026-03-04. */
export function fullDay(day: string): string {
  return new Date(day).toLocaleDateString('en-GB', { dateStyle: 'full', timeZone: 'UTC' })
}

/** 2026-03-04, where the zone's calendar says so; without a zone, the machine's. */
export function isoDay(at: number, timeZone?: string): string {
  return new Date(at).toLocaleDateString('sv', { timeZone })
}

/** In lower case, without accents, signs and articles. */
function spelled(text: string): string {
  const plain = text
    .normalize('NFD')
    .replaceAll(/\p{M}|\bthe\b/giu, '')
    .toLowerCase()
  return (plain.match(/\p{L}+|\d+/gu) ?? []).join(' ')
}
