// Arbitrary JSON at create: always answered in the right shape, and the service stays well.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as fc from 'fast-check'
import { errorOf, serve, type Served, type Wire } from './serve.ts'

const runs = 300

/** Fields of a request with values that are right, nearly right, or anything. */
const anything = fc.jsonValue({ maxDepth: 4 })
const mostly = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 3, arbitrary: good }, { weight: 1, arbitrary: anything })
const part = fc.oneof(
  fc.record({ type: fc.constantFrom('input_text', 'output_text', 'text', 'refusal'), text: mostly(fc.string()) }),
  fc.record({
    type: fc.constant('input_image'),
    image_url: mostly(fc.string().map((path) => `https://example.com/${encodeURIComponent(path)}`)),
  }),
  fc.record({ type: fc.constant('input_file'), filename: mostly(fc.string()), file_data: mostly(fc.base64String()) }),
  anything,
)
const item = fc.oneof(
  fc.record({
    role: mostly(fc.constantFrom('user', 'assistant', 'system', 'developer')),
    content: mostly(fc.oneof(fc.string(), fc.array(part))),
  }),
  fc.record({
    type: fc.constant('function_call'),
    call_id: mostly(fc.constantFrom('a', 'b')),
    name: mostly(fc.constantFrom('f', 'time')),
    arguments: mostly(fc.json()),
  }),
  fc.record({
    type: fc.constant('function_call_output'),
    call_id: mostly(fc.constantFrom('a', 'b')),
    output: anything,
  }),
  fc.record({
    type: fc.constantFrom('item_reference', 'reasoning', 'compaction', 'message'),
    id: mostly(fc.string()),
    encrypted_content: anything,
  }),
  anything,
)
const request = fc.record(
  {
    model: mostly(fc.string({ minLength: 1 })),
    input: mostly(fc.oneof(fc.string(), fc.array(item, { maxLength: 6 }))),
    stream: mostly(fc.boolean()),
    temperature: mostly(fc.double({ min: 0, max: 2, noNaN: true })),
    previous_response_id: mostly(fc.oneof(fc.constant(null), fc.stringMatching(/^resp_[0-9a-f]{64}$/))),
    instructions: mostly(fc.string()),
    x_context: mostly(fc.dictionary(fc.string(), anything)),
    tools: mostly(
      fc.array(fc.record({ type: mostly(fc.constant('function')), name: mostly(fc.string()), parameters: anything }), {
        maxLength: 3,
      }),
    ),
    tool_choice: anything,
    text: anything,
    metadata: anything,
  },
  { requiredKeys: [] },
)

describe('arbitrary requests', () => {
  let served: Served
  before(async () => {
    served = await serve({
      replies: [
        { when: '', text: 'Hello.' },
        { afterTool: 'f', text: 'Done.' },
      ],
    })
  })
  after(() => served.close())

  const check = async (body: string): Promise<void> => {
    const answer = await served.call('POST', '/api/v1/responses', body)
    const told = `${answer.status} ${answer.text.slice(0, 300)} for ${body.slice(0, 500)}`
    if (answer.status === 200 && String(answer.headers.get('content-type')).startsWith('text/event-stream')) {
      assert.match(answer.text, /^event: response\.created\n/, told)
      assert.match(answer.text, /event: response\.(completed|failed)\n[^\n]*\n\n$/, told)
    } else if (answer.status === 200) {
      assert.equal(answer.body['object'], 'response', told)
      assert.ok(['completed', 'failed'].includes(String(answer.body['status'])), told)
      const code = (answer.body['error'] as Wire | null)?.['code']
      assert.ok(code === undefined || code === 'previous_response_not_found', told)
    } else {
      assert.ok(answer.status === 400 || answer.status === 413, told)
      assert.deepEqual(Object.keys(errorOf(answer.body)), ['message', 'type', 'param', 'code'], told)
    }
  }

  it('are answered 200, 400 or 413, whatever they hold', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: request }, { weight: 1, arbitrary: anything }), (body) =>
        check(JSON.stringify(body)),
      ),
      { numRuns: runs },
    )
    assert.equal((await served.create({ input: 'hi' })).body['status'], 'completed')
  })

  it('that are no JSON are 400', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => check(`{${text}`)),
      { numRuns: 100 },
    )
  })
})
