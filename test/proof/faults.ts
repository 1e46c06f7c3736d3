// What goes wrong during a run, by its seed.
import type { Service } from './service.ts'
import type { Dice } from './world.ts'

export type Fault = {
  /** The operation that it begins with. */
  readonly at: number
  readonly name: string
  happen(): Promise<void>
}

/** Faults spread over a run: one in each of as many equal parts. Every second one is a kill, of each kind in turn. */
export function scheduleFaults(
  { faults }: Pick<Service, 'faults'>,
  { dice, ops, count }: { readonly dice: Dice; readonly ops: number; readonly count: number },
): Fault[] {
  const kinds = Object.entries(faults)
  const kills = kinds.filter(([name]) => name.startsWith('kill -9'))
  return Array.from({ length: count }, (_, at) => {
    const part = Math.floor(ops / count)
    const [name, happen] = (at % 2 === 0 ? kills[(at / 2) % kills.length] : dice.pick(kinds)) ?? [
      'none',
      () => Promise.resolve(),
    ]
    return { at: at * part + dice.below(part), name, happen: () => happen(dice) }
  })
}
