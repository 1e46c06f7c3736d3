// How deep a value is nested: what is stored must be written as JSON again, and that recurses.

const maxDepth = 100

/** True for a value nested deeper than anything a program means; it is refused or left out before it is stored. */
export function tooDeep(value: unknown, left = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (left === 0) return true
  for (const each of Object.values(value)) if (tooDeep(each, left - 1)) return true
  return false
}
