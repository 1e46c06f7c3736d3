// Which row of a list a key goes to.

/** The stop that a key moves to from one of so many, of which `first` is the first row; undefined where it stays. */
export function rowStep(
  key: string,
  at: number,
  { first, count }: { first: number; count: number },
): number | undefined {
  // In the search box Home, End and the arrow up are keys of writing.
  if (at < first && key !== 'ArrowDown') return undefined
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: first, End: count - 1 }[key]
  return next === undefined || next < 0 || next >= count ? undefined : next
}
