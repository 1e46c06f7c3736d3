// The named functions and constants of `calculate`.
import * as rational from './rational.ts'
import type { Rational } from './rational.ts'

/** A function with the number of arguments that it takes. `run` throws RangeError. */
export type Operation = { takes: readonly [min: number, max: number]; run: (args: readonly Rational[]) => Rational }

/** Forty digits each; every result that uses one is approximate. */
export const constants: ReadonlyMap<string, Rational> = new Map([
  ['pi', { num: 31415926535897932384626433832795028841972n, den: 10n ** 40n, exact: false }],
  ['π', { num: 31415926535897932384626433832795028841972n, den: 10n ** 40n, exact: false }],
  ['e', { num: 27182818284590452353602874713526624977572n, den: 10n ** 40n, exact: false }],
])

export const functions: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['sqrt', { takes: [1, 1], run: ([x = rational.one]) => rational.squareRoot(x) }],
  ['abs', { takes: [1, 1], run: ([x = rational.one]) => (x.num < 0n ? rational.negate(x) : x) }],
  ['round', { takes: [1, 2], run: ([x = rational.one, places]) => roundTo(x, places) }],
  ['floor', { takes: [1, 1], run: ([x = rational.one]) => rational.floor(x) }],
  ['ceil', { takes: [1, 1], run: ([x = rational.one]) => rational.negate(rational.floor(rational.negate(x))) }],
  ['min', { takes: [1, 100], run: (args) => args.reduce((a, b) => (rational.compare(a, b) <= 0 ? a : b)) }],
  ['max', { takes: [1, 100], run: (args) => args.reduce((a, b) => (rational.compare(a, b) >= 0 ? a : b)) }],
  ['factorial', { takes: [1, 1], run: ([x = rational.one]) => rational.factorial(x) }],
  ['pow', { takes: [2, 2], run: ([x = rational.one, y = rational.one]) => rational.power(x, y) }],
  ['log', { takes: [1, 2], run: ([x = rational.one, base]) => logarithm(x, base) }],
  ['ln', { takes: [1, 1], run: ([x = rational.one]) => rational.fromNumber(naturalLog(x)) }],
  ['sin', { takes: [1, 1], run: ([x = rational.one]) => rational.fromNumber(snap(Math.sin(angle(x)), x)) }],
  ['cos', { takes: [1, 1], run: ([x = rational.one]) => rational.fromNumber(snap(Math.cos(angle(x)), x)) }],
  ['tan', { takes: [1, 1], run: ([x = rational.one]) => tangent(x) }],
])

/** A larger angle has no exact floating-point form. */
const maxAngle = 2 ** 53

function roundTo(x: Rational, places: Rational | undefined): Rational {
  if (places === undefined) return rational.round(x)
  const scale = rational.power({ num: 10n, den: 1n, exact: true }, places)
  if (places.den !== 1n || !places.exact) throw new RangeError('the places to round to must be a whole number')
  return rational.divide(rational.round(rational.multiply(x, scale)), scale)
}

function logarithm(x: Rational, base: Rational | undefined): Rational {
  if (base !== undefined)
    return rational.divide(rational.fromNumber(naturalLog(x)), rational.fromNumber(naturalLog(base)))
  if (x.num <= 0n) throw new RangeError('a logarithm needs a number above zero')
  return rational.fromNumber(large(x) ? naturalLog(x) / Math.LN10 : Math.log10(rational.toNumber(x)))
}

function naturalLog(x: Rational): number {
  if (x.num <= 0n) throw new RangeError('a logarithm needs a number above zero')
  return large(x) ? wholeLog(x.num) - wholeLog(x.den) : Math.log(rational.toNumber(x))
}

function large({ num, den }: Rational): boolean {
  return num.toString(16).length > 200 || den.toString(16).length > 200
}

function wholeLog(whole: bigint): number {
  const digits = whole.toString()
  return Math.log(Number(`0.${digits.slice(0, 25)}`)) + digits.length * Math.LN10
}

function angle(x: Rational): number {
  const value = rational.toNumber(x)
  if (Math.abs(value) > maxAngle) throw new RangeError('the angle is too large for an approximate result')
  return value
}

/** Turns rounding noise around zero, as in sin(pi), into zero. */
function snap(value: number, x: Rational): number {
  const noise = Math.abs(value) < 1e-15 * Math.max(1, Math.abs(angle(x)))
  return noise && Math.abs(angle(x)) > 1e-3 ? 0 : value
}

function tangent(x: Rational): Rational {
  if (snap(Math.cos(angle(x)), x) === 0) throw new RangeError('tan has no value at this angle')
  return rational.fromNumber(snap(Math.tan(angle(x)), x))
}
