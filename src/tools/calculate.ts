// The `calculate` tool: parses and evaluates an arithmetic expression exactly. No eval, and floats only for roots and such.
import { AppError } from '#core/errors.ts'
import { readParams, schemaOf } from '#core/tool-params.ts'
import type { Tool } from '#core/tool.ts'
import { constants, functions } from './calculate-functions.ts'
import type { Operation } from './calculate-functions.ts'
import * as rational from './rational.ts'
import type { Rational } from './rational.ts'

export const maxExpressionChars = 1_000
export const maxDepth = 100
/** Limit for the sum of the sizes of all intermediate results, so a hostile expression cannot block the process. */
const maxWorkBits = 200_000

export function createCalculateTool(): Tool {
  const parameters = schemaOf(
    {
      expression: {
        type: 'string',
        maxLength: maxExpressionChars,
        description: 'The expression, such as "12 * (3 + 4)".',
      },
    },
    ['expression'],
  )
  return {
    spec: {
      name: 'calculate',
      description:
        'Calculates an arithmetic expression exactly. Knows + - * / % (remainder) ^ ** parentheses, decimals, ' +
        '1,234.5 and 6.02e23, percent ("17% of 80"; a percentage is a plain fraction, so 10% is 0.1), ! (factorial), ' +
        'sqrt, abs, round(x, places), floor, ceil, min, max, pow, log (base 10, or log(x, base)), ln, sin, cos, tan ' +
        '(radians), pi and e.',
      parameters,
    },
    effects: 'read',
    about: {
      brief: 'Does exact arithmetic',
      may: ['Do exact arithmetic'],
      cannot: ['Reach the network, files or memory'],
    },
    repeatable: true,
    untrusted: false,
    run: async (args) => calculate((readParams(parameters, args) as { expression: string }).expression),
  }
}

/** The result as text: "1/4 = 0.25", or "sqrt(2) is approximately …". Throws as `evaluate` does. */
export function calculate(expression: string): string {
  const value = evaluate(expression)
  return `${expression.trim()} ${value.exact ? '=' : 'is approximately'} ${rational.show(value)}`
}

/** Parses and evaluates in one pass. Throws invalid_input with the position of the error, counted from 1. */
export function evaluate(expression: string): Rational {
  // Each replacement is one character for one, so positions stay correct.
  const text = expression
    .replaceAll('×', '*')
    .replaceAll('·', '*')
    .replaceAll('÷', '/')
    .replaceAll('−', '-')
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const reader: Reader = { text, position: 0, depth: 0, work: 0, inCall: false }
  const value = sum(reader)
  if (peek(reader) !== '') fail(reader, `expected an operator, found ${found(reader)}`)
  return value
}

type Reader = {
  readonly text: string
  position: number
  depth: number
  work: number
  /** Directly inside a function's parentheses a comma separates arguments, never thousands. */
  inCall: boolean
}

function sum(reader: Reader): Rational {
  let value = product(reader)
  for (;;) {
    const start = reader.position
    if (take(reader, '+')) value = apply(reader, start, rational.add, [value, product(reader)])
    else if (take(reader, '-')) value = apply(reader, start, rational.add, [value, rational.negate(product(reader))])
    else return value
  }
}

function product(reader: Reader): Rational {
  let value = signed(reader)
  for (;;) {
    peek(reader)
    const start = reader.position
    if (take(reader, '*') || takeWord(reader, 'of')) {
      value = apply(reader, start, rational.multiply, [value, signed(reader)])
    } else if (take(reader, '/')) value = apply(reader, start, rational.divide, [value, signed(reader)])
    else if (take(reader, '%') || takeWord(reader, 'mod')) {
      value = apply(reader, start, rational.modulo, [value, signed(reader)])
    } else return value
  }
}

/** A sign binds less than a power: -2^2 is -4. Every recursion of the grammar passes here, so depth is counted here. */
function signed(reader: Reader): Rational {
  return nested(reader, () => {
    if (take(reader, '-')) return rational.negate(signed(reader))
    if (take(reader, '+')) return signed(reader)
    const base = postfix(reader)
    peek(reader)
    const start = reader.position
    if (!take(reader, '**') && !take(reader, '^')) return base
    return apply(reader, start, rational.power, [base, signed(reader)])
  })
}

function postfix(reader: Reader): Rational {
  let value = primary(reader)
  for (;;) {
    peek(reader)
    const start = reader.position
    if (take(reader, '!')) value = apply(reader, start, rational.factorial, [value])
    else if (percentAhead(reader)) {
      take(reader, '%')
      value = apply(reader, start, rational.divide, [value, { num: 100n, den: 1n, exact: true }])
    } else return value
  }
}

/** A % before another operand is a remainder; at the end, before an operator or before "of" it is a percentage. */
function percentAhead(reader: Reader): boolean {
  return /^%\s*(?!\s|[\d.(π]|(?!of\b|mod\b)[a-z])/.test(reader.text.slice(reader.position))
}

function primary(reader: Reader): Rational {
  const next = peek(reader)
  const start = reader.position
  if (take(reader, '(')) {
    const value = within(reader, false, () => sum(reader))
    if (!take(reader, ')')) fail(reader, `expected ")" for the "(" at position ${start + 1}, found ${found(reader)}`)
    return value
  }
  if (/[\d.]/.test(next)) return number(reader)
  const name = /^(?:[a-z]+|π)/.exec(reader.text.slice(start))?.[0]
  if (name === undefined) fail(reader, `expected a number, found ${found(reader)}`)
  reader.position += name.length
  const constant = constants.get(name)
  if (constant !== undefined) return constant
  const operation = functions.get(name)
  if (operation !== undefined) return call(reader, name, operation)
  reader.position = start
  return fail(reader, `unknown name "${name.slice(0, 30)}"; known are ${[...functions.keys(), 'pi', 'e'].join(', ')}`)
}

function number(reader: Reader): Rational {
  const start = reader.position
  const rest = reader.text.slice(start)
  const grouped = reader.inCall ? undefined : /^\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d*)?/.exec(rest)?.[0]
  const mantissa = grouped ?? /^(?:\d+(?:\.\d*)?|\.\d+)/.exec(rest)?.[0]
  if (mantissa === undefined) return fail(reader, `expected a number, found ${found(reader)}`)
  const exponent = /^e[+-]?\d+/.exec(rest.slice(mantissa.length))?.[0] ?? ''
  reader.position += mantissa.length + exponent.length
  return apply(reader, start, () => rational.parseDecimal(mantissa.replaceAll(',', '') + exponent), [])
}

function call(reader: Reader, name: string, { takes: [min, max], run }: Operation): Rational {
  const start = reader.position - name.length
  if (!take(reader, '(')) fail(reader, `expected "(" after ${name}, found ${found(reader)}`)
  const args = within(reader, true, () => {
    const values = [sum(reader)]
    while (take(reader, ',')) values.push(sum(reader))
    return values
  })
  if (!take(reader, ')')) fail(reader, `expected ")" to close ${name}, found ${found(reader)}`)
  if (args.length < min || args.length > max) {
    const expected = min === max ? `${min}` : `${min} to ${max}`
    fail(reader, `${name} takes ${expected} argument${max === 1 ? '' : 's'}, found ${args.length}`, start)
  }
  return apply(reader, start, () => run(args), [])
}

/** Runs one operation, adds its cost to the work done, and adds the position to its errors. */
function apply<T extends readonly Rational[]>(
  reader: Reader,
  position: number,
  operation: (...args: T) => Rational,
  args: readonly [...T],
): Rational {
  let value: Rational
  try {
    value = operation(...args)
  } catch (error) {
    if (error instanceof RangeError) return fail(reader, error.message, position, error)
    throw error
  }
  reader.work += rational.bitsOf(value)
  if (reader.work > maxWorkBits) fail(reader, 'the expression takes too much work', position)
  return value
}

function nested<T>(reader: Reader, read: () => T): T {
  if (++reader.depth > maxDepth) fail(reader, `nested more than ${maxDepth} deep`)
  const value = read()
  reader.depth--
  return value
}

function within<T>(reader: Reader, inCall: boolean, read: () => T): T {
  const before = reader.inCall
  reader.inCall = inCall
  const value = read()
  reader.inCall = before
  return value
}

function peek(reader: Reader): string {
  while (/\s/.test(reader.text[reader.position] ?? '')) reader.position++
  return reader.text[reader.position] ?? ''
}

function take(reader: Reader, symbol: string): boolean {
  peek(reader)
  if (!reader.text.startsWith(symbol, reader.position)) return false
  reader.position += symbol.length
  return true
}

function takeWord(reader: Reader, word: string): boolean {
  return !/[a-z]/.test(reader.text[reader.position + word.length] ?? '') && take(reader, word)
}

function found(reader: Reader): string {
  const next = peek(reader)
  return next === '' ? 'the end' : `"${next}"`
}

function fail(reader: Reader, message: string, position = reader.position, cause?: unknown): never {
  throw new AppError('invalid_input', `${message} (at position ${position + 1})`, { param: 'expression', cause })
}
