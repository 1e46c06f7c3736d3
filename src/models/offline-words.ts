// Recognition of messages for the offline model: subject words, a calculation, a question for the time.

/** Phrases that mean a word of a tool's name or description. */
const meanings: readonly (readonly [phrase: RegExp, word: string])[] = [
  [/(?:^|\b(?:fetch|get|open|read|show|visit)\b[^\n]{0,60})https?:\/\//i, 'web'],
  [/\b(?:tomorrow|tonight|weekend|next week|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i, 'forecast'],
  [/\b(?:forecast|rain|snow|sunny|temperature|umbrella|hot|cold|warm|windy|air quality)(?:ing|s)?\b/i, 'weather'],
]
export const readingVerbs = setOf(
  'get list read find search fetch show lookup query check describe count view retrieve',
)
/** Words that name no subject. */
export const fillers = readingVerbs.union(
  setOf(`a about am an and any are at be can could current do does for from give going has have hello here hey hi how i in
    is it know like look m me my need now of on or please right s say should so t tell that the there this to today tool us
    use want was what when where which who will with would you your`),
)
const timeWords = setOf('date day hour month time weekday year')
const operators = { ' x ': ' * ', plus: '+', minus: '-', times: '*', 'divided by': '/', ' percent': '%' }
const beforeSum = /^(?:(?:what['’]s|what|how much|is|the|calculate|compute|please|can|you|tell|me|hi|hello)\b[\s:,]*)+/i
const sumAtStart =
  /^(?!\d{4}-\d\d-\d\d\b)(?:[\d\s.,()+*/^%!×÷−·π-]|\b(?:sqrt|abs|round|floor|ceil|min|max|pow|log|ln|sin|cos|tan|pi|of|mod)\b)+/i
const afterSum = /^(?:is|equals|please|[\s=?])*$/i
const operation = /[\d)%!πi] *(?:\*\*|[-+*/^%×÷−·]|of\b|mod\b) *[-(]?[\d.(πa-z]|[a-z]\(|\d!/i

/** The words of a text, a tool's name or a key, in lower case and without a plural s. */
export function wordsOf(text: string): string[] {
  const words = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').match(/\p{L}+|\d+/gu) ?? []
  return words.map((word) => word.toLowerCase().replace(/(?<=ch|sh|x|ss)es$|(?<=\w\w[^siu])s$/, ''))
}

export function setOf(text: string): Set<string> {
  return new Set(wordsOf(text))
}

/** The words of a message and those that its phrases mean, without the words in URLs. */
export function meaningOf(message: string): ReadonlySet<string> {
  const meant = meanings.filter(([phrase]) => phrase.test(message)).map(([, word]) => word)
  return setOf(`${message.replaceAll(/https?:\/\/\S+/gi, ' ')} ${meant.join(' ')}`)
}

/** The text without fillers and ignored words at both ends. */
export function trimmed(text: string, ignored: ReadonlySet<string> = timeWords): string {
  const isEmpty = (word: string) =>
    fillers.has(word) || ignored.has(word) || meanings.some(([phrase]) => phrase.test(word))
  const hasContent = (word: string) => !wordsOf(word).every(isEmpty)
  const words = text.split(/\s+/)
  const rest = words.slice(Math.max(0, words.findIndex(hasContent)), words.findLastIndex(hasContent) + 1)
  return /^[^]*[\p{L}\p{N})%]/u.exec(rest.join(' '))?.[0] ?? ''
}

/** The expression in a message that asks only for a calculation. */
export function sumIn(message: string): string | undefined {
  let text = message.replace(beforeSum, '')
  for (const [word, sign] of Object.entries(operators)) text = text.replaceAll(word, sign)
  const run = sumAtStart.exec(text)?.[0] ?? ''
  const sum = /^[^]*[\d)!%πi]/i.exec(run)?.[0].trim() ?? ''
  return operation.test(sum) && afterSum.test(text.slice(run.length)) ? sum : undefined
}

/** The place in a question for the time: its time zone, else its name, '' for here. Undefined for other messages. */
export function timezoneIn(message: string): string | undefined {
  const phrase = /\bin (?:the )?(\p{L}[\p{L}\p{M} /_.'’-]{1,60})/iu.exec(message)?.[1] ?? ''
  const words = setOf(message.replace(phrase, ' '))
  if (words.isDisjointFrom(timeWords) || !words.isSubsetOf(fillers.union(timeWords))) return undefined
  const place = trimmed(phrase)
  const plain = place.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(' ', '_').toLowerCase()
  return Intl.supportedValuesOf('timeZone').find((zone) => `/${zone}`.toLowerCase().endsWith(`/${plain}`)) ?? place
}
