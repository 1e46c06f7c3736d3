// What the offline model recognises in a message: subject words, a sum, a question for the time.

/** Phrases that stand for a word of a tool's name or description. */
const meanings: readonly (readonly [said: RegExp, means: string])[] = [
  [/(?:^|\b(?:fetch|get|open|read|show|visit)\b[^\n]{0,60})https?:\/\//i, 'web'],
  [/\b(?:tomorrow|tonight|weekend|next week|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i, 'forecast'],
  [/\b(?:forecast|rain|snow|sunny|temperature|umbrella|hot|cold|warm|windy|air quality)(?:ing|s)?\b/i, 'weather'],
]
export const readingVerbs = setOf(
  'get list read find search fetch show lookup query check describe count view retrieve',
)
/** Words without a subject. */
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

/** The words of a text, a tool's name or a key, in lower case and without a plural's s. */
export function wordsOf(text: string): string[] {
  const words = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').match(/\p{L}+|\d+/gu) ?? []
  return words.map((word) => word.toLowerCase().replace(/(?<=ch|sh|x|ss)es$|(?<=\w\w[^siu])s$/, ''))
}

export function setOf(text: string): Set<string> {
  return new Set(wordsOf(text))
}

/** The words of a message and those it means, without the words of its URLs. */
export function meaningOf(message: string): ReadonlySet<string> {
  const meant = meanings.filter(([said]) => said.test(message)).map(([, means]) => means)
  return setOf(`${message.replaceAll(/https?:\/\/\S+/gi, ' ')} ${meant.join(' ')}`)
}

/** The text without fillers and words of the topic at both ends. */
export function trimmed(text: string, topic: ReadonlySet<string> = timeWords): string {
  const isEmpty = (word: string) => fillers.has(word) || topic.has(word) || meanings.some(([said]) => said.test(word))
  const isTelling = (word: string) => !wordsOf(word).every(isEmpty)
  const words = text.split(/\s+/)
  const kept = words.slice(Math.max(0, words.findIndex(isTelling)), words.findLastIndex(isTelling) + 1)
  return /^[^]*[\p{L}\p{N})%]/u.exec(kept.join(' '))?.[0] ?? ''
}

/** The sum of a message that asks for nothing else. */
export function sumIn(message: string): string | undefined {
  let text = message.replace(beforeSum, '')
  for (const [said, sign] of Object.entries(operators)) text = text.replaceAll(said, sign)
  const run = sumAtStart.exec(text)?.[0] ?? ''
  const sum = /^[^]*[\d)!%πi]/i.exec(run)?.[0].trim() ?? ''
  return operation.test(sum) && afterSum.test(text.slice(run.length)) ? sum : undefined
}

/** The place of a question for the time, as a time zone if one has its name, '' for here; undefined for other messages. */
export function timePlaceIn(message: string): string | undefined {
  const said = /\bin (?:the )?(\p{L}[\p{L}\p{M} /_.'’-]{1,60})/iu.exec(message)?.[1] ?? ''
  const words = setOf(message.replace(said, ' '))
  if (words.isDisjointFrom(timeWords) || !words.isSubsetOf(fillers.union(timeWords))) return undefined
  const place = trimmed(said)
  const plain = place.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(' ', '_').toLowerCase()
  return Intl.supportedValuesOf('timeZone').find((zone) => `/${zone}`.toLowerCase().endsWith(`/${plain}`)) ?? place
}
