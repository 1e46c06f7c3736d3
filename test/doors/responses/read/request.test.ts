import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '#core/errors.ts'
import { readCreate } from '#doors/responses/read/request.ts'

const catalog = { maxBytes: 16 * 1024, foreign: 'refuse', registered: new Set(['time']) } as const
const rules = { externalTools: true, catalog }
const read = (fields: object) => readCreate({ model: 'm', input: 'hi', ...fields }, rules)

/** The field a body is refused for. */
async function paramOf(body: unknown, with_ = rules): Promise<string | undefined> {
  try {
    await readCreate(body, with_)
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'invalid_input')
    return error.param
  }
  throw new Error('it was not refused')
}

describe('readCreate', () => {
  it('reads the smallest request, and stores nothing beside the message', async () => {
    assert.deepEqual(await read({}), {
      model: 'm',
      stream: false,
      temporary: false,
      input: [{ type: 'message', role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      instructions: [],
      context: '',
      noTools: false,
      background: false,
      options: {},
    })
  })

  it('takes instructions and system messages of 1 MiB together, and refuses more', async () => {
    const system = [
      { role: 'system', content: 'é'.repeat(256 * 1024) },
      { role: 'user', content: 'hi' },
    ]
    const half = 'a'.repeat(512 * 1024)
    assert.equal((await read({ input: system, instructions: half })).instructions.length, 2)
    await assert.rejects(read({ input: system, instructions: `${half} ` }), {
      code: 'too_large',
      param: 'instructions',
    })
  })

  it('takes a context of 10 KiB, refuses a longer one, and leaves out metadata and formats beyond their size', async () => {
    // `{"a":"…"}` has eight characters around its text.
    const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - 8) })
    const limits = { x_context: 10 * 1024, metadata: 16 * 1024, format: 64 * 1024 }
    await assert.doesNotReject(read({ x_context: sized(limits.x_context) }))
    assert.equal(await paramOf({ model: 'm', input: 'hi', x_context: sized(limits.x_context + 1) }), 'x_context')
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [at, at]))
    await assert.rejects(read({ x_context: many }), { message: 'x_context has more than 10240 bytes as JSON' })
    const kept = async (fields: object) => JSON.stringify((await read(fields)).options).length > 9_000
    const format = (bytes: number) => ({ text: { format: { type: 'json_schema', name: 'f', schema: sized(bytes) } } })
    assert.deepEqual(
      [
        await kept({ metadata: { a: 'x'.repeat(limits.metadata - 8) } }),
        await kept({ metadata: sized(limits.metadata + 1) }),
      ],
      [true, false],
    )
    assert.deepEqual([await kept(format(limits.format)), await kept(format(limits.format + 1))], [true, false])
  })

  it('refuses a body that is no object, naming no field', async () => {
    for (const body of [undefined, null, 1, 'x', [], true]) assert.equal(await paramOf(body), undefined)
  })

  it('names the first field that is wrong by its path', async () => {
    const tool = (more: object) => [
      { type: 'function', name: 'a' },
      { type: 'function', name: 'b' },
      { type: 'function', ...more },
    ]
    for (const [fields, param] of [
      [{ tools: tool({ name: 'no good' }) }, 'tools[2].name'],
      [{ tools: tool({ name: 'c', parameters: [] }) }, 'tools[2].parameters'],
      [{ tools: tool({ name: 'c', strict: 'yes' }) }, 'tools[2].strict'],
      [{ tools: tool({ name: 'c', description: 1 }) }, 'tools[2].description'],
      [{ tools: tool({ name: 'a' }) }, 'tools[2].name'],
      [{ tools: tool({ name: 'time' }) }, 'tools[2].name'],
      [{ tools: [7] }, 'tools[0]'],
      [{ tools: [{ type: 'function', function: { name: 'a' } }] }, 'tools[0].name'],
      [{ input: [{ role: 'user', content: [{ type: 'input_text' }] }] }, 'input[0].content[0].text'],
      [{ previous_response_id: '' }, 'previous_response_id'],
      [{ previous_response_id: 4 }, 'previous_response_id'],
    ] as const) {
      assert.equal(await paramOf({ model: 'm', input: 'hi', ...fields }), param)
    }
  })

  it('lets names pass that only look like those of the service', async () => {
    assert.equal(
      (
        await read({
          tools: [
            { type: 'function', name: 'times' },
            { type: 'function', name: 'xmemory_' },
          ],
        })
      ).options.tools?.length,
      2,
    )
  })

  it('measures tools as canonical JSON: white space and order do not count', async () => {
    const size = 16 * 1024 - '[{"description":"","name":"f","type":"function"}]'.length
    assert.ok(await read({ tools: [{ type: 'function', name: 'f', description: 'x'.repeat(size) }] }))
    assert.equal(
      await paramOf({
        model: 'm',
        input: 'hi',
        tools: [{ type: 'function', name: 'f', description: 'x'.repeat(size + 1) }],
      }),
      'tools',
    )
  })

  it('keeps what will be shown again', async () => {
    const id = `resp_${'0'.repeat(64)}`
    const { options, previous } = await read({
      previous_response_id: id,
      instructions: 'Be kind.',
      metadata: { a: 'b' },
      temperature: 1.5,
      text: { format: { type: 'json_object' } },
    })
    assert.deepEqual(options.echo, { previous: id, instructions: 'Be kind.', metadata: { a: 'b' } })
    assert.equal(options.json, true)
    assert.equal(options.temperature, 1.5)
    assert.equal(previous?.turnId, '00000000-0000-0000-0000-000000000000')
  })

  it('takes a format that makes no sense as plain text', async () => {
    for (const text of [
      1,
      [],
      {},
      { format: 1 },
      { format: { type: 'json_schema' } },
      { format: { type: 'json_schema', schema: [] } },
    ]) {
      assert.equal((await read({ text })).options.format, undefined)
    }
    const odd = await read({ text: { format: { type: 'json_schema', schema: {}, name: 'not good' } } })
    assert.deepEqual(odd.options.format, {
      name: 'response',
      schema: {},
    })
  })

  it('refuses tools and tool_choice only without the wiring', async () => {
    const off = { ...rules, externalTools: false }
    assert.equal(await paramOf({ model: 'm', input: 'x', tools: [{}] }, off), 'tools')
    assert.equal(await paramOf({ model: 'm', input: 'x', tools: [{ type: 'function', name: 'f' }] }, off), 'tools')
    assert.equal(await paramOf({ model: 'm', input: 'x', tool_choice: { type: 'function' } }, off), 'tool_choice')
    assert.ok(await readCreate({ model: 'm', input: 'x', tools: [], tool_choice: null }, off))
  })
})
