// The estimate of a request's tokens: what each part of it adds.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { specifiedRules } from '#config/responses.ts'
import { countInput } from '#doors/responses/input-tokens.ts'
import type { ResponsesParts } from '#doors/responses/parts.ts'
import { fake } from '../../fake.ts'

const parts = fake<ResponsesParts>({ externalTools: true, rules: specifiedRules, registered: () => new Set() })
async function count(fields: object): Promise<number> {
  const request = { body: { model: 'm', input: 'x'.repeat(400), ...fields } } as FastifyRequest
  return (await countInput(parts, request)).input_tokens
}
const image = { type: 'input_image', image_url: 'data:image/png;base64,AA' }
const call = (args: string) => ({ type: 'function_call', call_id: 'c', name: 'f'.repeat(40), arguments: args })
const output = (of: unknown) => ({ type: 'function_call_output', call_id: 'c', output: of })

describe('countInput', () => {
  it('is four for each item, and one for every four characters, rounded up', async () => {
    // Two characters are those of an empty list of tools.
    assert.equal(await count({}), 4 + 101)
    assert.equal(await count({ input: ['x'.repeat(4), 'x'.repeat(4)] }), 8 + 3)
  })

  it('needs no model', async () => {
    assert.equal(await count({ model: undefined }), await count({}))
    await assert.rejects(count({ model: '' }), /model must not be empty/)
  })

  for (const [what, fields, tokens] of [
    ['instructions', { instructions: 'x'.repeat(400) }, 100],
    ['a system message', { input: ['x'.repeat(400), { role: 'system', content: 'x'.repeat(400) }] }, 104],
    ['a call', { input: ['x'.repeat(400), call(`{"a":"${'x'.repeat(352)}"}`)] }, 104],
    ['an output', { input: ['x'.repeat(400), output('x'.repeat(400))] }, 104],
    ['reasoning', { input: ['x'.repeat(400), { type: 'reasoning' }] }, 4],
    ['an image', { input: [{ role: 'user', content: [{ type: 'input_text', text: 'x'.repeat(400) }, image] }] }, 1_000],
  ] as const) {
    it(`adds ${tokens} for ${what}`, async () => assert.equal((await count(fields)) - (await count({})), tokens))
  }

  it('adds a thousand for each image of an output', async () => {
    const of = (images: object[]) =>
      count({ input: [call('{}'), output([{ type: 'input_text', text: 'x' }, ...images])] })
    const [none, two] = [await of([]), await of([image, image])]
    assert.ok(two >= none + 2_000 && two < none + 2_020, `${none}, ${two}`)
  })

  it('counts the context and the tools', async () => {
    assert.ok((await count({ x_context: { a: 'x'.repeat(400) } })) > (await count({})) + 100)
    const tools = [{ type: 'function', name: 'f', description: 'x'.repeat(400) }]
    assert.ok((await count({ tools })) > (await count({})) + 100)
  })
})
