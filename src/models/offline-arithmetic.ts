// Reads a sum out of a message: "what is 12 * (3+4)?", "seventeen percent of eighty", "3 plus 4 times 5".

const LEAD =
  /^(?:(?:please|hey|hi|hello|ok|so|and|atrium|can you|could you|tell me|work out|what(?:'?s|’s| is| are| does)?|how much (?:is|are)|calculate|compute|evaluate|solve|the (?:result|value|sum|product|answer) of)[\s,:]+)+/i
const TAIL = /(?:\s*(?:=|equal to|equals?|is|please|make|give|come to|\?|!(?=\?)|\.(?!\d)))+\s*$/i

/** Longest first, so that "multiplied by" is not cut short. */
const OPERATORS: readonly (readonly [pattern: RegExp, symbol: string])[] = [
  [/\bto the power of\b|\braised to\b/gi, '^'],
  [/\bmultiplied by\b|\btimes\b|(?<=\d\s*)x(?=\s*\d)/gi, '*'],
  [/\bdivided by\b|\bover\b/gi, '/'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\bhalf of\b/gi, '1/2 of'],
  [/\bmodulo\b/gi, 'mod'],
  [/\s*\bper ?cent\b/gi, '%'],
  [/\bsquared\b/gi, '^2'],
  [/\bcubed\b/gi, '^3'],
  [/\b(?:the )?square root of ([\d.,]+|\([^()]*\))/gi, 'sqrt($1)'],
  [/\b(?:the )?factorial of (\d+)/gi, '$1!'],
]

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'

/** The expression, when the message is one and nothing else; undefined otherwise. */
export function expressionIn(text: string): string | undefined {
  if (text.length > 1_000) return undefined
  const bare = numbersFor(text.trim().replace(LEAD, '').replace(TAIL, ''))
  const symbols = OPERATORS.reduce((rest, [pattern, symbol]) => rest.replaceAll(pattern, symbol), bare).trim()
  const wellFormed =
    /^(?:[\d\s.,()+\-*/%^!×÷−·π]|\d[eE][+-]?\d|\b(?:of|mod|pi|e|sqrt|abs|round|floor|ceil|min|max|factorial|pow|log|ln|sin|cos|tan)\b)+$/i
  const calculates = /[\d)πe%!i]\s*(?:[+*/^×÷−·]|-|%|!|\bof\b|\bmod\b)|\b[a-z]+\s*\(/i
  const dateLike = /^\d{4}-\d\d-\d\d$|^\d{1,2}\/\d{1,2}\/\d{2,4}$|^\+?[\d\s-]{7,}$/
  const sums = /\d\s*[+*/^]\s*\d|\d\s-\s\d/.test(symbols)
  const isSum = /\d|\bpi\b|π/i.test(symbols) && wellFormed.test(symbols) && calculates.test(symbols)
  return isSum && (sums || !dateLike.test(symbols)) ? symbols : undefined
}

/** "twenty-one" is 21. Larger number words stay words. */
function numbersFor(text: string): string {
  const [units, tens] = [UNITS.split(' '), TENS.split(' ')]
  const pattern = new RegExp(
    String.raw`\b(?:(${tens.join('|')})(?:[- ](${units.slice(1, 10).join('|')}))?|(${units.join('|')}))\b`,
    'gi',
  )
  return text.replaceAll(pattern, (_, ten?: string, unit?: string, alone?: string) =>
    String(
      alone === undefined
        ? (tens.indexOf(ten?.toLowerCase() ?? '') + 2) * 10 + Math.max(0, units.indexOf(unit?.toLowerCase() ?? ''))
        : units.indexOf(alone.toLowerCase()),
    ),
  )
}
