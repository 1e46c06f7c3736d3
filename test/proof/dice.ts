// Random choices of a run, by its seed.
import { random } from '../random.ts'
import type { Dice } from './world.ts'

export function createDice(seed: number): Dice {
  let at = 0
  const below = (bound: number): number => Math.floor(random(seed * 1_000_003 + at++) * bound)
  return { below, pick: (from) => from[below(from.length)] }
}
