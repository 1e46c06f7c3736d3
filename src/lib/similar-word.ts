// Finds the word that a mistyped one stands for.

const maxWordChars = 40

/** The known word that a mistyped one most likely stands for; undefined when none is near. */
export function similarWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > maxWordChars) return undefined
  const near = known
    .map((each) => ({ each, distance: editDistance(word, each) }))
    .filter(({ each, distance }) => distance <= Math.max(1, Math.floor(Math.max(each.length, word.length) / 3)))
  return near.toSorted((one, other) => one.distance - other.distance)[0]?.each
}

/** How many letters must be added, left out, replaced or swapped with the next to make one word of another. */
function editDistance(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Infinity
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same, swap))
    }
    ;[before, last] = [last, row]
  }
  return last[other.length] ?? 0
}
