// Planted faults: small changes of the source that some test must notice. `npm run mutate` plants them one at a time.

export type Mutant = {
  /** The fault in words, as it is told when it survives. */
  readonly says: string
  readonly file: string
  /** Text of the file, found exactly once, and what stands there instead. */
  readonly from: string
  readonly to: string
  /** The test files that should notice; run in this order until one does. */
  readonly tests: readonly string[]
}

/** Why a fault cannot be planted in a file's text; undefined when it can. */
export function unplantable({ from, to }: Mutant, text: string): string | undefined {
  const found = text.split(from).length - 1
  if (found !== 1) return `its text occurs ${found} times, it must occur once`
  return from === to ? 'it changes nothing' : undefined
}

/** The file's text with the fault. The replacement is taken literally. */
export function planted({ from, to }: Mutant, text: string): string {
  return text.replace(from, () => to)
}
