// Which values of a body keep their numbers as written.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exactPaths } from '#doors/responses/read/body.ts'
import { readJson, smallJsonBytes } from '#http/json-reader.ts'
import { maxLosslessValues } from '#http/lossless-json.ts'

const odd = '12345678901234567890'
const plain = JSON.stringify(Number(odd))

/** A body as it is written again: a small one, and one that is parsed in pieces, which blanks do not change. */
async function written(text: string): Promise<string> {
  const [small, large] = await Promise.all(
    [text, text + ' '.repeat(smallJsonBytes)].map(async (each) =>
      JSON.stringify(await readJson(Buffer.from(each), { findExact: exactPaths })),
    ),
  )
  assert.equal(large, small)
  return small ?? ''
}

describe('exactPaths', () => {
  for (const text of [
    `{"x_context":{"n":${odd}}}`,
    `{"text":{"format":{"schema":{"n":${odd}}}}}`,
    `{"tools":[{},{"parameters":{"n":1.0}}]}`,
    `{"input":["hi",{"arguments":{"n":1e3}}]}`,
    `{"input":[{"output":{"n":${odd}}}]}`,
    `{"input":[{"output":[${odd}]}]}`,
    `{"input":[{"output":${odd}}]}`,
    `{"x_context":{"n":${odd}},"input":[null,7,{"output":1.50,"arguments":{"a":-0}}]}`,
  ]) {
    it(`keeps the numbers of ${text}`, async () => assert.equal(await written(text), text))
  }

  for (const [text, parsed] of [
    [`{"temperature":1.0}`, '{"temperature":1}'],
    [`{"x_context":{"n":${odd}},"temperature":1.0}`, `{"x_context":{"n":${odd}},"temperature":1}`],
    [`{"tools":[{"parameters":{},"n":1.0}]}`, '{"tools":[{"parameters":{},"n":1}]}'],
    [`{"text":{"format":{"schema":1.0}}}`, '{"text":{"format":{"schema":1}}}'],
    [`{"tools":[{"parameters":1.0}]}`, '{"tools":[{"parameters":1}]}'],
    [`{"text":{"format":{"n":1.0}}}`, '{"text":{"format":{"n":1}}}'],
    [`{"text":{"format":null,"n":1.0}}`, '{"text":{"format":null,"n":1}}'],
    [`{"text":{"n":1.0}}`, '{"text":{"n":1}}'],
    [
      `{"input":{"output":1.0},"tools":{"parameters":{"n":1.0}}}`,
      '{"input":{"output":1},"tools":{"parameters":{"n":1}}}',
    ],
    [`{"input":[{"arguments":1.0,"output":"1.0"}]}`, '{"input":[{"arguments":1,"output":"1.0"}]}'],
    [`[{"x_context":{"n":1.0}}]`, '[{"x_context":{"n":1}}]'],
    ['1.0', '1'],
  ] as const) {
    it(`has plain numbers elsewhere: ${text}`, async () => assert.equal(await written(text), parsed))
  }

  it('has plain numbers in a body of too many values', async () => {
    const body = (n: string, values: number): string =>
      `{"x_context":{"n":${n}},"a":[${Array(values).fill(0).join(',')}]}`
    // The objects, the array and the number are values too.
    const most = maxLosslessValues - 4
    assert.equal(await written(body(odd, most)), body(odd, most))
    assert.equal(await written(body(odd, most + 1)), body(plain, most + 1))
  })

  it('keeps numbers in the pieces of a large body', async () => {
    const text = `{"input":[${Array(2_000)
      .fill(`{"output":[${odd},"${'a'.repeat(100)}"]}`)
      .join(',')}]}`
    assert.equal(await written(text), text)
  })
})
