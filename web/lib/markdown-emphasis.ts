// Which runs of `*`, `_` and `~` open and close emphasis, by CommonMark's rules.

/** The number of equal characters from a place on. */
export function runLength(text: string, from: number): number {
  let end = from
  while (text[end] === text[from]) end++
  return end - from
}

/** Tells by the characters before and after a run of marks if it may open and close emphasis. */
export function flanks(text: string, at: number, end: number): { opens: boolean; closes: boolean } {
  const [before, after] = [kindOf(text.charAt(at - 1)), kindOf(text.charAt(end))]
  const left = after !== 'space' && (after === 'letter' || before !== 'letter')
  const right = before !== 'space' && (before === 'letter' || after !== 'letter')
  if (text[at] !== '_') return { opens: left, closes: right }
  return { opens: left && (!right || before === 'mark'), closes: right && (!left || after === 'mark') }
}

function kindOf(char: string): 'space' | 'mark' | 'letter' {
  if (char === '' || /\s/.test(char)) return 'space'
  return /[\p{P}\p{S}]/u.test(char) ? 'mark' : 'letter'
}

/** A mark whose end has not come yet. */
type OpenMark = { readonly marker: string; readonly length: number; readonly closes: boolean }

/** The run that could close it; `both`: it could open as well. */
type Closing = { readonly marker: string; readonly length: number; readonly both: boolean }

/** The frame that a run of marks closes; -1 for none. A link that is open ends the search. */
export function openerOf(frames: readonly OpenMark[], { marker, length, both }: Closing): number {
  for (let index = frames.length - 1; index > 0; index--) {
    const own = frames[index]
    if (!own || own.marker === '[' || own.marker === '![') return -1
    if (own.marker !== marker) continue
    if (marker === '~' ? own.length !== length : (both || own.closes) && !fitThree(own.length, length)) continue
    return index
  }
  return -1
}

/** CommonMark: two runs that could each open and close do not match if their sum is a multiple of three. */
function fitThree(one: number, other: number): boolean {
  return (one + other) % 3 !== 0 || (one % 3 === 0 && other % 3 === 0)
}
