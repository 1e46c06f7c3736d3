// Numbers for tests that repeat: the same for the same seed.

/** A number from 0 to 1 for a seed. */
export function random(seed: number): number {
  let value = (seed * 0x9e3779b9) >>> 0
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b) >>> 0
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35) >>> 0
  return ((value ^ (value >>> 16)) >>> 0) / 2 ** 32
}
