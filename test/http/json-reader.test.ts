// JSON of callers: bounds that are counted before parsing, and large texts in pieces.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { jsonBounds, readJson as read, smallJsonBytes } from '#http/json-reader.ts'
import { loopTurns } from '../loop-turns.ts'

const { values, names, members: maxMembers = 0, levels } = jsonBounds

async function faultOf(text: string | Buffer, what?: 'frame'): Promise<Pick<AppError, 'code' | 'message' | 'param'>> {
  try {
    await read(typeof text === 'string' ? Buffer.from(text) : text, what && { what })
  } catch (error) {
    assert.ok(error instanceof AppError)
    return { code: error.code, message: error.message, param: error.param }
  }
  throw new Error('was read')
}

const empties = (count: number): string => `[${Array.from({ length: count }, () => '{}').join(',')}]`
const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, at) => `"${at.toString(36)}":0`).join(',')}}`
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

test('a text at each bound is read', async () => {
  // The outer object and its field are values too.
  const whole = (await read(Buffer.from(`{"a":${empties(values - 2)}}`))) as { a: unknown[] }
  assert.equal(whole.a.length, values - 2)
  assert.equal(Object.keys((await read(Buffer.from(members(maxMembers)))) as object).length, maxMembers)
  const objects = Array.from({ length: names / maxMembers }, () => members(maxMembers))
  assert.equal(((await read(Buffer.from(`[${objects.join(',')}]`))) as unknown[]).length, objects.length)
  assert.ok(Array.isArray(await read(Buffer.from(nested(levels)))))
})

test('beyond a bound the fault names the field, the limit and the way out', async () => {
  const more = 'send fewer, or send the data as a string or a file'
  assert.deepEqual(await faultOf(`{"message":"hi","a":${empties(values - 2)}}`), {
    code: 'invalid_input',
    message: `a brings the body to more than 200000 values: ${more}`,
    param: 'a',
  })
  const objects = Array.from({ length: names / maxMembers }, () => members(maxMembers))
  assert.deepEqual(await faultOf(`{"m":[${objects.join(',')}]}`), {
    code: 'invalid_input',
    message: `m brings the body to more than 50000 field names: ${more}`,
    param: 'm',
  })
  assert.deepEqual(await faultOf(`{"m":${members(maxMembers + 1)}}`), {
    code: 'invalid_input',
    message: `m brings the body to more than 10000 field names in one object: ${more}`,
    param: 'm',
  })
  assert.deepEqual(await faultOf(nested(levels + 1), 'frame'), {
    code: 'invalid_input',
    message: 'the frame is nested deeper than 1000 levels: send it flatter, or as a string of JSON',
    param: undefined,
  })
})

test('a text that is no JSON is refused, small or large', async () => {
  for (const text of ['{', `"${'a'.repeat(smallJsonBytes)}`]) {
    assert.equal((await faultOf(text)).message, 'the body is not valid JSON')
    assert.equal((await faultOf(text, 'frame')).message, 'the frame is not valid JSON')
  }
})

test('a byte order mark before a text is left out, small or large', async () => {
  for (const length of [1, smallJsonBytes]) {
    const text = 'x'.repeat(length)
    assert.deepEqual(await read(Buffer.from(`\uFEFF{"a":"${text}"}`)), { a: text })
  }
})

test('bytes that are no UTF-8 are refused wherever they stand, and never replaced', async () => {
  const invalid = [Buffer.from([0xff]), Buffer.from([0xc3]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xc0, 0xaf])]
  for (const bytes of invalid) {
    for (const fill of ['', 'a'.repeat(smallJsonBytes)]) {
      const body = Buffer.concat([Buffer.from(`{"model":"m","ignored":"${fill}`), bytes, Buffer.from('"}')])
      assert.equal((await faultOf(body)).message, 'the body is not valid UTF-8: send JSON in UTF-8')
    }
  }
  assert.deepEqual(await read(Buffer.from('{"a":"é 東 👩\ufffd"}')), { a: 'é 東 👩\ufffd' })
})

test('other work goes on while a large text is parsed, whatever its shape', async (t) => {
  const size = 32 * smallJsonBytes
  const objects = `[${Array.from({ length: 4 }, () => members(size / 256)).join(',')}]`
  const texts = [`"${'a'.repeat(size)}"`, `"${'\\n'.repeat(size / 2)}"`, empties(size / 32), objects]
  for (const text of texts) {
    const bytes = Buffer.from(text)
    const turns = await loopTurns(t, () => read(bytes))
    assert.ok(turns >= bytes.length / smallJsonBytes, `${turns} turns of the loop`)
  }
})

test('other work goes on while the numbers of a small text are read as they are written', async (t) => {
  const text = `{"kept":[${'1e1,'.repeat(15_000)}1.10]}`
  const turns = await loopTurns(t, async () => {
    assert.equal(JSON.stringify(await read(Buffer.from(text), { findExact: () => [['kept']] })), text)
  })
  assert.ok(turns >= 5, `${turns} turns of the loop`)
})

for (const [size, pad] of [
  ['small', ''],
  ['large', '  '],
] as const) {
  test(`numbers of a ${size} text are kept as written up to 30,000 values, and are plain ones beyond`, async () => {
    // The object and its list are values too.
    for (const [count, first] of [
      [29_998, '1.10'],
      [29_999, '1.1'],
    ] as const) {
      const bytes = Buffer.from(`{"kept":[1.10${`,1${pad}`.repeat(count - 1)}]}`)
      assert.equal(bytes.length <= smallJsonBytes, size === 'small')
      const { kept } = (await read(bytes, { findExact: () => [['kept', 0]] })) as { kept: unknown[] }
      assert.equal(JSON.stringify(kept[0]), first)
    }
  })
}

test('a large text waits for its reservation, which is told how much it will take', async () => {
  const asked: number[] = []
  const reserve = async (bytes: number): Promise<void> => void asked.push(bytes)
  await read(Buffer.from('{"small":1}'), { reserve })
  assert.deepEqual(asked, [])
  const text = `{"a":"${'a'.repeat(smallJsonBytes)}","b":${empties(10_000)}}`
  await read(Buffer.from(text), { reserve })
  assert.equal(asked.length, 1)
  assert.ok((asked[0] ?? 0) > text.length + 10_000 * 60)
  const refuse = (): Promise<void> => Promise.reject(new AppError('rate_limited', 'full'))
  const findExact = (): never => assert.fail('was parsed')
  await assert.rejects(read(Buffer.from(text), { reserve: refuse, findExact }), { code: 'rate_limited' })
})

test('of a text with odd numbers only the values that are passed on keep them as written, however deep they stand', async () => {
  const [open, close] = ['['.repeat(levels - 4), ']'.repeat(levels - 4)]
  for (const fill of ['', 'a'.repeat(smallJsonBytes)]) {
    const text = `{"a":1.10,"b":{"in":{"kept":${open}1.10${close},"plain":2.50}},"c":"${fill}"}`
    const found = await read(Buffer.from(text), { findExact: () => [['b', 'in', 'kept']] })
    assert.equal(JSON.stringify(found), text.replace('"a":1.10', '"a":1.1').replace('2.50', '2.5'))
  }
})
