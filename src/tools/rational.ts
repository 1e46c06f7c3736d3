// Exact arithmetic with fractions of big integers. A number also knows whether it is only an approximation.

/** A reduced fraction with `den` above zero. `exact` is false if a root, logarithm, sine or constant was rounded. */
export type Rational = { readonly num: bigint; readonly den: bigint; readonly exact: boolean }

/** Numerator and denominator together, about 3,000 digits. A larger result is refused. */
const maxBits = 10_000
export const maxExponent = 10_000
export const maxFactorial = 1_000
const repeatingDigits = 30
const approximateDigits = 15
/** The precision of inexact intermediate results, well above that of the output. */
const workingDigits = 40
const maxFractionChars = 200

export const one: Rational = { num: 1n, den: 1n, exact: true }

/** The reduced fraction num/den. Throws RangeError on a zero denominator or past the size limit. */
function ratio(num: bigint, den: bigint, exact = true): Rational {
  if (den === 0n) throw new RangeError('division by zero')
  const common = den === 1n ? 1n : gcd(num < 0n ? -num : num, den < 0n ? -den : den)
  const sign = den < 0n ? -1n : 1n
  const value = { num: (sign * num) / common, den: (sign * den) / common, exact }
  if (bitsOf(value) <= maxBits) return value
  if (exact) throw new RangeError(`the result is too large (more than ${maxBits} bits)`)
  return approximate(value)
}

/** The size of a number, which is also a measure of the cost of the next operation on it. */
export function bitsOf({ num, den }: Rational): number {
  return 4 * (num.toString(16).length + den.toString(16).length)
}

export function add(a: Rational, b: Rational): Rational {
  return ratio(a.num * b.den + b.num * a.den, a.den * b.den, a.exact && b.exact)
}

export function negate(a: Rational): Rational {
  return { ...a, num: -a.num }
}

export function multiply(a: Rational, b: Rational): Rational {
  return ratio(a.num * b.num, a.den * b.den, a.exact && b.exact)
}

export function divide(a: Rational, b: Rational): Rational {
  return ratio(a.num * b.den, a.den * b.num, a.exact && b.exact)
}

/** The remainder with the sign of the divisor: -7 mod 3 is 2. */
export function modulo(a: Rational, b: Rational): Rational {
  return add(a, negate(multiply(b, floor(divide(a, b)))))
}

export function compare(a: Rational, b: Rational): number {
  const difference = a.num * b.den - b.num * a.den
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function floor(a: Rational): Rational {
  const whole = a.num / a.den
  return { num: a.num < 0n && whole * a.den !== a.num ? whole - 1n : whole, den: 1n, exact: a.exact }
}

/** The nearest whole number, halves away from zero. */
export function round(a: Rational): Rational {
  const whole = (2n * (a.num < 0n ? -a.num : a.num) + a.den) / (2n * a.den)
  return { num: a.num < 0n ? -whole : whole, den: 1n, exact: a.exact }
}

export function factorial(a: Rational): Rational {
  if (a.den !== 1n || a.num < 0n) throw new RangeError('a factorial needs a whole number that is not negative')
  if (a.num > BigInt(maxFactorial)) throw new RangeError(`a factorial above ${maxFactorial}! is too large`)
  let product = 1n
  for (let factor = 2n; factor <= a.num; factor++) product *= factor
  return ratio(product, 1n, a.exact)
}

/** Exact for whole exponents of exact numbers, and for square roots of squares. */
export function power(base: Rational, exponent: Rational): Rational {
  if (exponent.den === 1n && base.exact && exponent.exact) return wholePower(base, exponent.num)
  if (exponent.exact && exponent.num === 1n && exponent.den === 2n) return squareRoot(base)
  if (base.num < 0n && exponent.den !== 1n) throw new RangeError('a negative number has no real power of that exponent')
  if (base.num === 0n && exponent.num < 0n) throw new RangeError('division by zero')
  return fromNumber(toNumber(base) ** toNumber(exponent))
}

export function squareRoot(a: Rational): Rational {
  if (a.num < 0n) throw new RangeError('a negative number has no real square root')
  const [num, den] = [wholeRoot(a.num), wholeRoot(a.den)]
  if (a.exact && num * num === a.num && den * den === a.den) return { num, den, exact: true }
  const places = workingDigits + Math.max(0, lengthOf(a.den) - lengthOf(a.num))
  return approximate(ratioUnchecked(wholeRoot((a.num * 10n ** BigInt(2 * places)) / a.den), 10n ** BigInt(places)))
}

/** The nearest floating-point number. Throws RangeError if it is not finite. */
export function toNumber(a: Rational): number {
  const { digits, exponent } = significant(a, 25)
  const value = Number(`${a.num < 0n ? '-' : ''}${digits}e${exponent}`)
  if (!Number.isFinite(value)) throw new RangeError('the number is too large for an approximate result')
  return value
}

/** An inexact number from a floating-point one. */
export function fromNumber(value: number): Rational {
  if (!Number.isFinite(value)) throw new RangeError('the result is too large or undefined')
  return { ...parseDecimal(value.toString()), exact: false }
}

/** Parses digits with an optional point and exponent, exactly. The caller must have checked that form. */
export function parseDecimal(text: string): Rational {
  const [mantissa = '0', exponentText = '0'] = text.toLowerCase().split('e')
  const [whole = '', decimals = ''] = mantissa.split('.')
  const exponent = Number(exponentText) - decimals.length
  if (Math.abs(exponent) > maxExponent) throw new RangeError(`an exponent beyond ${maxExponent} is too large`)
  const digits = BigInt(`${whole}${decimals}` === '-' ? '0' : `${whole}${decimals}` || '0')
  return exponent < 0 ? ratio(digits, 10n ** BigInt(-exponent)) : ratio(digits * 10n ** BigInt(exponent), 1n)
}

/** The number as text: all digits if they terminate, else a fixed count of digits with the exact fraction, if short. */
export function show(a: Rational): string {
  const sign = a.num < 0n ? '-' : ''
  if (!a.exact) return sign + decimalText(significant(a, approximateDigits))
  if (a.den === 1n) return a.num.toString()
  const places = terminatingPlaces(a.den)
  if (places !== undefined) {
    const digits = ((a.num < 0n ? -a.num : a.num) * 10n ** BigInt(places)) / a.den
    return sign + withPoint(digits.toString(), places)
  }
  const fraction = `${a.num}/${a.den}`
  const exactly = fraction.length > maxFractionChars ? '' : ` (exactly ${fraction})`
  return `${sign}${decimalText(significant(a, repeatingDigits), '…')}${exactly}`
}

function wholePower(base: Rational, exponent: bigint): Rational {
  const size = exponent < 0n ? -exponent : exponent
  if (size > BigInt(maxExponent)) throw new RangeError(`an exponent beyond ${maxExponent} is too large`)
  const unit = base.den === 1n && base.num >= -1n && base.num <= 1n
  if (!unit && (bitsOf(base) - 8) * Number(size) > maxBits) {
    throw new RangeError(`the result is too large (more than ${maxBits} bits)`)
  }
  return exponent < 0n ? ratio(base.den ** size, base.num ** size) : ratio(base.num ** size, base.den ** size)
}

function approximate(a: Rational): Rational {
  const { digits, exponent } = significant(a, workingDigits)
  if (Math.abs(exponent) > maxBits / 4) throw new RangeError('the result is too large for an approximate number')
  const scale = 10n ** BigInt(Math.abs(exponent))
  const signed = a.num < 0n ? -digits : digits
  return { ...(exponent < 0 ? ratioUnchecked(signed, scale) : ratioUnchecked(signed * scale, 1n)), exact: false }
}

function ratioUnchecked(num: bigint, den: bigint): Rational {
  const common = gcd(num < 0n ? -num : num, den)
  return { num: num / common, den: den / common, exact: false }
}

/** The leading digits of the absolute value, rounded: |a| is about digits * 10^exponent. */
function significant(a: Rational, count: number): { digits: bigint; exponent: number } {
  if (a.num === 0n) return { digits: 0n, exponent: 0 }
  const num = a.num < 0n ? -a.num : a.num
  const shift = count + 2 - (lengthOf(num) - lengthOf(a.den))
  const scaled = shift >= 0 ? (num * 10n ** BigInt(shift)) / a.den : num / (a.den * 10n ** BigInt(-shift))
  const drop = lengthOf(scaled) - count
  const digits = (scaled + 5n * 10n ** BigInt(drop - 1)) / 10n ** BigInt(drop)
  return { digits, exponent: drop - shift }
}

function decimalText({ digits, exponent }: { digits: bigint; exponent: number }, more = ''): string {
  const text = digits.toString()
  const magnitude = text.length - 1 + exponent
  if (magnitude < -7 || magnitude >= repeatingDigits) {
    return `${withPoint(text, text.length - 1)}${more}e${magnitude}`
  }
  return (exponent < 0 ? withPoint(text, -exponent) : text + '0'.repeat(exponent)) + more
}

/** Puts the point `places` digits before the end and drops trailing zeros. */
function withPoint(digits: string, places: number): string {
  if (places === 0) return digits
  const padded = digits.padStart(places + 1, '0')
  const decimals = padded.slice(-places)
  let end = decimals.length
  while (end > 0 && decimals[end - 1] === '0') end--
  return end === 0 ? padded.slice(0, -places) : `${padded.slice(0, -places)}.${decimals.slice(0, end)}`
}

/** Decimal places of 1/den, or undefined when they never end. */
function terminatingPlaces(den: bigint): number | undefined {
  let [rest, twos, fives] = [den, 0, 0]
  for (; rest % 2n === 0n; rest /= 2n) twos++
  for (; rest % 5n === 0n; rest /= 5n) fives++
  return rest === 1n ? Math.max(twos, fives) : undefined
}

function lengthOf(whole: bigint): number {
  return whole.toString().length
}

function wholeRoot(square: bigint): bigint {
  if (square < 2n) return square
  let root = 1n << BigInt(Math.ceil((square.toString(16).length * 4) / 2) + 1)
  for (;;) {
    const next = (root + square / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x === 0n ? 1n : x
}
