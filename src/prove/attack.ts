// An attack of `atrium doctor --prove` on a service of its own, and what came of it.

/** `not_tried`: the attack could not be made, so nobody knows what would hold. `not_possible`: this machine lacks the means. */
export type Verdict = 'held' | 'got_through' | 'not_tried' | 'not_possible'

export type Outcome = {
  readonly verdict: Verdict
  /** The answer of the service, in a few words. */
  readonly answered: string
}

export type Attack = {
  readonly name: string
  /** The attempt, in a few words. */
  readonly tried: string
  readonly run: () => Promise<Outcome>
}

/** `held` if nothing got through; else the first of what did. */
export function outcomeOf(through: readonly string[], answered: string): Outcome {
  const [first] = through
  if (first === undefined) return { verdict: 'held', answered }
  const more = through.length > 1 ? `, and ${through.length - 1} more` : ''
  return { verdict: 'got_through', answered: `${first}${more}` }
}
