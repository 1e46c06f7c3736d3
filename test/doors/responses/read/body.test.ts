// Which values of a body keep their numbers as written.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseBody } from '#doors/responses/read/body.ts'
import { maxLosslessValues } from '#http/lossless-json.ts'

const odd = '12345678901234567890'
const plain = JSON.stringify(Number(odd))

describe('parseBody', () => {
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
    it(`keeps the numbers of ${text}`, () => assert.equal(JSON.stringify(parseBody(text)), text))
  }

  for (const [text, parsed] of [
    [`{"temperature":1.0}`, '{"temperature":1}'],
    [`{"x_context":{"n":${odd}},"temperature":1.0}`, `{"x_context":{"n":${odd}},"temperature":1}`],
    [`{"tools":[{"parameters":{},"n":1.0}]}`, '{"tools":[{"parameters":{},"n":1}]}'],
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
    it(`has plain numbers elsewhere: ${text}`, () => assert.equal(JSON.stringify(parseBody(text)), parsed))
  }

  it('has plain numbers in a body of too many values, and in one that is nested too deeply to be parsed twice', () => {
    const text = `{"x_context":{"n":${odd}}}`
    assert.equal(JSON.stringify(parseBody(text, maxLosslessValues)), text)
    assert.equal(JSON.stringify(parseBody(text, maxLosslessValues + 1)), `{"x_context":{"n":${plain}}}`)
    const levels = 200_000
    const deep = `{"x_context":{"n":${odd}},"other":${'['.repeat(levels)}${']'.repeat(levels)}}`
    assert.equal(JSON.stringify((parseBody(deep) as { x_context: unknown }).x_context), `{"n":${plain}}`)
  })

  it('throws SyntaxError for a text that is no JSON', () => assert.throws(() => parseBody('{"a":1.0,}'), SyntaxError))
})
