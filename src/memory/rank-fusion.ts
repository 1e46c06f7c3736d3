// Reciprocal rank fusion: several rankings of documents merged into one.

/** The usual constant: a larger one gives the first ranks less weight. */
const k = 60

export type Fused = { readonly path: string; readonly score: number }

/** Merges lists of paths, each best first. Equal scores keep the order of the lists. */
export function fuse(lists: readonly (readonly string[])[]): Fused[] {
  const scores = new Map<string, number>()
  for (const list of lists) {
    for (const [at, path] of list.entries()) scores.set(path, (scores.get(path) ?? 0) + 1 / (k + at + 1))
  }
  return [...scores].map(([path, score]) => ({ path, score })).toSorted((one, two) => two.score - one.score)
}
