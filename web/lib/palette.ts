// The entries of the palette: which ones match what is typed, and in which order.

export type PaletteGroup = 'Actions' | 'Pages' | 'Threads'

export type PaletteEntry = {
  readonly id: string
  readonly group: PaletteGroup
  readonly label: string
}

/** Entries shown before anything is typed, of each group. */
const maxUntyped = 8
/** Entries of each group that are shown for what is typed. */
const maxFound = 12

/**
 * The entries that have every typed word, in groups: those whose label begins with the text first, then those with a word
 * that does, then the others. Entries in `found` were found by their content and need no word in their label.
 */
export function paletteMatches<T extends PaletteEntry>(
  entries: readonly T[],
  typed: string,
  found: readonly T[] = [],
): T[] {
  const text = typed.trim().toLowerCase()
  const order: readonly PaletteGroup[] = text === '' ? ['Actions', 'Pages', 'Threads'] : ['Threads', 'Pages', 'Actions']
  const words = text.split(/\s+/).filter(Boolean)
  const rank = (label: string): number => {
    const low = label.toLowerCase()
    if (low.startsWith(text)) return 0
    return low.includes(` ${text}`) ? 1 : 2
  }
  const matching = entries.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
  const known = new Set(matching.map(({ id }) => id))
  const all = matching.toSorted((one, other) => rank(one.label) - rank(other.label))
  all.push(...found.filter(({ id }) => !known.has(id)))
  return order.flatMap((group) =>
    all.filter((each) => each.group === group).slice(0, text === '' ? maxUntyped : maxFound),
  )
}
