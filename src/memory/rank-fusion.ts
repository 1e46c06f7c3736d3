// Several orders of the same documents as one, by reciprocal rank.

/** How much the first ranks lead: the customary number. */
const k = 60

export type Fused = { readonly path: string; readonly score: number }

/** Paths of lists that are best first, once each, best first. Of equals that of the earlier list. */
export function fuse(lists: readonly (readonly string[])[]): Fused[] {
  const scores = new Map<string, number>()
  for (const list of lists) {
    for (const [at, path] of list.entries()) scores.set(path, (scores.get(path) ?? 0) + 1 / (k + at + 1))
  }
  return [...scores].map(([path, score]) => ({ path, score })).toSorted((one, two) => two.score - one.score)
}
