// What goes wrong during a run, by its seed.
import type { Service } from './service.ts'
import type { Dice } from './world.ts'

export type Fault = {
  /** The operation that it begins with. */
  readonly at: number
  readonly name: string
  happen(service: Service): Promise<void>
}

/** Faults spread over a run: one in each of as many equal parts. */
export function scheduleFaults(dice: Dice, { ops, count }: { ops: number; count: number }): Fault[] {
  return Array.from({ length: count }, (_, at) => {
    const part = Math.floor(ops / count)
    return { at: at * part + dice.below(part), name: 'kill -9', happen: (service: Service) => service.kill(dice) }
  })
}
