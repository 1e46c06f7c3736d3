// The `calculate` tool by tables: exact values, approximations, errors with their position, hostile input.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import { calculate, createCalculateTool, evaluate, maxDepth, maxExpressionChars } from '#tools/calculate.ts'
import { maxExponent, maxFactorial, show } from '#tools/rational.ts'

const exact: readonly (readonly [expression: string, value: string])[] = [
  // whole numbers and order of operations
  ['12 * (3+4)', '84'],
  ['1 + 2 * 3', '7'],
  ['(1 + 2) * 3', '9'],
  ['10 - 4 - 3', '3'],
  ['100 / 10 / 5', '2'],
  ['2^3^2', '512'],
  ['2**10', '1024'],
  ['-2^2', '-4'],
  ['(-2)^2', '4'],
  ['2^-2', '0.25'],
  ['--3', '3'],
  ['+3 - -3', '6'],
  ['2 * -3', '-6'],
  ['0^0', '1'],
  ['-0', '0'],
  ['((((1))))', '1'],
  ['  7  ', '7'],
  ['2 × 3 ÷ 4 − 1 · 1', '0.5'],
  // decimals
  ['0.1 + 0.2', '0.3'],
  ['1.10 * 3', '3.3'],
  ['.5 + .5', '1'],
  ['5.', '5'],
  ['1/8', '0.125'],
  ['-1/4', '-0.25'],
  ['1e-5', '0.00001'],
  ['6.02e23 * 2', '1204000000000000000000000'],
  ['1E3', '1000'],
  ['1.5e+2', '150'],
  ['1,234.5 + 1', '1235.5'],
  ['1,234,567', '1234567'],
  ['9007199254740993 + 1', '9007199254740994'],
  ['99999999999999999999 * 99999999999999999999', '9999999999999999999800000000000000000001'],
  ['2^100', '1267650600228229401496703205376'],
  ['0.1^20', '0.00000000000000000001'],
  // repeating decimals
  ['1/3', '0.333333333333333333333333333333… (exactly 1/3)'],
  ['-2/3', '-0.666666666666666666666666666667… (exactly -2/3)'],
  ['22/7', '3.14285714285714285714285714286… (exactly 22/7)'],
  ['1/3 * 3', '1'],
  ['1/3^30', '4.85693574961886113790624266497…e-15 (exactly 1/205891132094649)'],
  ['10^40/3', '3.33333333333333333333333333333…e39 (exactly 10000000000000000000000000000000000000000/3)'],
  // percent and remainder
  ['17% of 80', '13.6'],
  ['17%of 80', '13.6'],
  ['50%', '0.5'],
  ['50% + 1', '1.5'],
  ['200 * 110%', '220'],
  ['1/4 of 80', '20'],
  ['(10 + 10)% of 50', '10'],
  ['10 % 3', '1'],
  ['10%3', '1'],
  ['10 mod 3', '1'],
  ['-7 % 3', '2'],
  ['7.5 % 2', '1.5'],
  ['10 % (1 + 2)', '1'],
  // factorial
  ['5!', '120'],
  ['0!', '1'],
  ['3!!', '720'],
  ['2^3!', '64'],
  ['-3!', '-6'],
  ['20!', '2432902008176640000'],
  ['factorial(6)', '720'],
  // functions
  ['sqrt(16)', '4'],
  ['sqrt(16/9)', '1.33333333333333333333333333333… (exactly 4/3)'],
  ['sqrt(0.25)', '0.5'],
  ['4^0.5', '2'],
  ['sqrt(10^40)', '100000000000000000000'],
  ['abs(-3.5)', '3.5'],
  ['round(2.5)', '3'],
  ['round(-2.5)', '-3'],
  ['round(2.4)', '2'],
  ['round(3.14159, 2)', '3.14'],
  ['round(1234, -2)', '1200'],
  ['floor(-1.5)', '-2'],
  ['floor(1.5)', '1'],
  ['ceil(1.2)', '2'],
  ['ceil(-1.2)', '-1'],
  ['min(3, 1, 2)', '1'],
  ['max(1,234)', '234'],
  ['max((1,234), 5)', '1234'],
  ['max(1, max(2, 3))', '3'],
  ['pow(2, 10)', '1024'],
  ['ABS(-1) + Max(1, 2)', '3'],
]

for (const [expression, value] of exact) {
  test(`${expression} is exactly ${value}`, () => {
    const result = evaluate(expression)
    assert.equal(result.exact, true)
    assert.equal(show(result), value)
  })
}

const inexact: readonly (readonly [expression: string, value: string])[] = [
  ['pi', '3.14159265358979'],
  ['π * 2', '6.28318530717959'],
  ['e', '2.71828182845905'],
  ['sqrt(2)', '1.4142135623731'],
  ['sqrt(2)^2', '2'],
  ['sqrt(2e-2000)', '1.4142135623731e-1000'],
  ['8^(1/3)', '2'],
  ['2^0.5 * 10^20', '141421356237310000000'],
  ['pi^100', '5.18784831431959e49'],
  ['log(1000)', '3'],
  ['log(8, 2)', '3'],
  ['log(10^2000)', '2000'],
  ['ln(e)', '1'],
  ['ln(2)', '0.693147180559945'],
  ['sin(0)', '0'],
  ['sin(pi)', '0'],
  ['sin(pi/6)', '0.5'],
  ['cos(pi)', '-1'],
  ['cos(pi/2)', '0'],
  ['tan(pi/4)', '1'],
  ['sin(1e-20)', '1e-20'],
  ['floor(pi)', '3'],
]

for (const [expression, value] of inexact) {
  test(`${expression} is approximately ${value}`, () => {
    assert.equal(calculate(expression), `${expression} is approximately ${value}`)
  })
}

const wrong: readonly (readonly [expression: string, message: RegExp, position: number])[] = [
  ['', /expected a number, found the end/, 1],
  ['2 +', /expected a number, found the end/, 4],
  ['2 3', /expected an operator, found "3"/, 3],
  ['2 + * 3', /expected a number, found "\*"/, 5],
  ['(1 + 2', /expected "\)" for the "\(" at position 1, found the end/, 7],
  ['1 + 2)', /expected an operator, found "\)"/, 6],
  ['1..2', /found "\."/, 3],
  ['.', /expected a number/, 1],
  ['1,23', /found ","/, 2],
  ['2pi', /expected an operator/, 2],
  ['foo(1)', /unknown name "foo"; known are sqrt/, 1],
  ['constructor', /unknown name "constructor"/, 1],
  ['__proto__', /expected a number, found "_"/, 1],
  ['process.exit()', /unknown name "process"/, 1],
  ['1; 2', /found ";"/, 2],
  ['sqrt 4', /expected "\(" after sqrt/, 6],
  ['abs(1, 2)', /abs takes 1 argument, found 2/, 1],
  ['pow(1)', /pow takes 2 arguments, found 1/, 1],
  ['1 / 0', /division by zero/, 3],
  ['5 % (2 - 2)', /division by zero/, 3],
  ['0^-1', /division by zero/, 2],
  ['sqrt(-1)', /no real square root/, 1],
  ['1 + (0-8)^(1/3)', /no real power/, 10],
  ['ln(0)', /above zero/, 1],
  ['log(8, 1)', /division by zero/, 1],
  ['tan(pi/2)', /no value/, 1],
  ['sin(10^30)', /angle is too large/, 1],
  ['2.5!', /factorial needs a whole number/, 4],
  ['(-1)!', /factorial needs a whole number/, 5],
  ['round(1, 0.5)', /whole number/, 1],
  // bounds
  [`${maxFactorial + 1}!`, /factorial above 1000! is too large/, 5],
  [`2^${maxExponent + 1}`, /exponent beyond 10000/, 2],
  ['9^9^9', /exponent beyond 10000/, 2],
  ['1e99999', /exponent beyond 10000/, 1],
  ['9e9999', /more than 10000 bits/, 1],
  ['99^9999', /more than 10000 bits/, 3],
  ['1000! * 1000!', /more than 10000 bits/, 7],
  ['e^1000', /too large/, 2],
]

for (const [expression, message, position] of wrong) {
  test(`"${expression}" is refused at position ${position}`, () => {
    assert.throws(
      () => evaluate(expression),
      (error) => {
        assert.ok(error instanceof AppError)
        assert.deepEqual([error.code, error.param], ['invalid_input', 'expression'])
        assert.match(error.message, message)
        assert.ok(error.message.endsWith(`(at position ${position})`), error.message)
        return true
      },
    )
  })
}

const hostile: readonly (readonly [what: string, expression: string, message: RegExp])[] = [
  ['deep parentheses', '('.repeat(999), /nested more than 100 deep/],
  ['deep functions', 'abs('.repeat(200), /nested more than 100 deep/],
  ['many signs', `${'-'.repeat(999)}1`, /nested more than 100 deep/],
  ['a tower of powers', `${'2^'.repeat(300)}2`, /nested more than 100 deep/],
  ['many factorials', `5${'!'.repeat(900)}`, /factorial above/],
  ['many percents', `1${'%'.repeat(990)}`, /too much work/],
  ['large fractions', Array(60).fill('7^1700/3^3000').join('+'), /too much work/],
  ['large factorials', Array(140).fill('1000!').join('-'), /too much work/],
  ['large roots', Array(70).fill('sqrt(7^3000)').join('+'), /too much work/],
  ['powers of a constant', `${'pi^'.repeat(50)}2`, /too large/],
]

for (const [what, expression, message] of hostile) {
  test(`${what} meets a bound`, () => {
    assert.throws(() => evaluate(expression), { code: 'invalid_input', message })
  })
}

test('nesting up to the bound is fine', () => {
  const depth = maxDepth - 1
  assert.equal(show(evaluate(`${'('.repeat(depth)}1${')'.repeat(depth)}`)), '1')
})

test('the largest results are shown whole', () => {
  assert.equal(show(evaluate('1000!')).length, 2568)
  assert.equal(show(evaluate('2^-3000')).length, 3002)
})

test('the tool answers in words and refuses what is no text', async () => {
  const tool = createCalculateTool()
  const context = { user: operator, threadId: 't', turnId: 'u', callId: 'c', signal: new AbortController().signal }
  assert.deepEqual([tool.spec.name, tool.effects, tool.repeatable, tool.untrusted], ['calculate', 'read', true, false])
  assert.equal(await tool.run('{"expression":" 12 * 7 "}', context), '12 * 7 = 84')
  const refused: readonly [args: string, message: RegExp][] = [
    ['{}', /^expression is missing$/],
    ['null', /^expression is missing$/],
    ['x', /^expression is missing$/],
    ['{"expression":7}', /^expression must be a text$/],
    ['{"expression":"1+1","precision":3}', /^precision is not a parameter; the parameters are expression$/],
    [
      JSON.stringify({ expression: '1'.repeat(maxExpressionChars + 1) }),
      /^expression must have at most 1000 characters$/,
    ],
  ]
  for (const [args, message] of refused) {
    await assert.rejects(tool.run(args, context), { code: 'invalid_input', message })
  }
})
