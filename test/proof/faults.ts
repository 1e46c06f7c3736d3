// What goes wrong during a run, by its seed.
import type { Service } from './service.ts'
import type { Dice } from './world.ts'

export type Fault = {
  /** The operation that it begins with. */
  readonly at: number
  readonly name: string
  happen(): Promise<void>
}

/** Faults spread over a run: one in each of as many equal parts. Every second one is a kill. */
export function scheduleFaults(
  { faults }: Pick<Service, 'faults'>,
  { dice, ops, count }: { readonly dice: Dice; readonly ops: number; readonly count: number },
): Fault[] {
  const kinds = Object.entries(faults)
  return Array.from({ length: count }, (_, at) => {
    const part = Math.floor(ops / count)
    const [name, happen] = (at % 2 === 0 ? kinds[0] : dice.pick(kinds)) ?? ['none', () => Promise.resolve()]
    return { at: at * part + dice.below(part), name, happen: () => happen(dice) }
  })
}
