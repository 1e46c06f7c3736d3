import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { AppError } from '#core/errors.ts'
import { block as blockOf, contextBlock, instructionsBlock } from '#doors/openai/blocks.ts'
import { type InputItem, intentOf, readInput } from '#doors/responses/read/input.ts'

const data = (media: string, text: string): string => `data:${media};base64,${Buffer.from(text).toString('base64')}`

async function refusedParam(run: () => unknown): Promise<string | undefined> {
  try {
    await run()
  } catch (error) {
    assert.ok(error instanceof AppError)
    return error.param
  }
  throw new Error('it was not refused')
}

const parts = (count: number) => Array.from({ length: count }, () => ({ type: 'text', text: 'a' }))
const other = (text: string) => ({ type: 'text', text, origin: 'the history that the caller sent' }) as const

describe('readInput', () => {
  const user = (...content: object[]) => [{ type: 'message', role: 'user', content }]
  for (const [what, input, items] of [
    ['a string', 'hi', user({ type: 'text', text: 'hi' })],
    ['a list of strings', ['hi'], user({ type: 'text', text: 'hi' })],
    ['a message without type', [{ role: 'user', content: 'hi' }], user({ type: 'text', text: 'hi' })],
    [
      'parts',
      [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ],
      user({ type: 'text', text: 'a' }, { type: 'text', text: 'b' }),
    ],
    [
      'an image by URL',
      [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://x.test/a' }] }],
      user({ type: 'image', url: 'https://x.test/a' }),
    ],
    [
      'an image as an object',
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aa' } }] }],
      user({ type: 'image', url: 'data:image/png;base64,aa' }),
    ],
    [
      'a text file',
      [{ role: 'user', content: [{ type: 'input_file', filename: 'a.txt', file_data: data('text/plain', 'héllo') }] }],
      user({ type: 'file', name: 'a.txt', text: 'héllo' }),
    ],
    [
      'a file of bare base64',
      [{ role: 'user', content: [{ type: 'input_file', file_data: Buffer.from('abc').toString('base64') }] }],
      user({ type: 'file', name: 'file', text: 'abc' }),
    ],
    [
      'a data URL in plain text',
      [{ role: 'user', content: [{ type: 'input_file', file_data: 'data:text/csv,a%2Cb' }] }],
      user({ type: 'file', name: 'file', text: 'a,b' }),
    ],
    [
      'a file as text',
      [{ role: 'user', content: [{ type: 'input_file', filename: 'n', text: 'abc' }] }],
      user({ type: 'file', name: 'n', text: 'abc' }),
    ],
    [
      'a file that is no text',
      [
        {
          role: 'user',
          content: [{ type: 'input_file', filename: 'a.pdf', file_data: data('application/pdf', '%PDF') }],
        },
      ],
      user({ type: 'file', name: 'a.pdf', text: '[not read: application/pdf of 4 bytes; only text is accepted]' }),
    ],
    [
      'assistant history',
      [
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          phase: 'final',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'a', annotations: [] }],
        },
      ],
      [{ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'a' }] }],
    ],
    [
      'a refusal',
      [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }],
      [{ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'no' }] }],
    ],
    [
      'an assistant without content',
      [{ role: 'assistant', content: null }],
      [{ type: 'message', role: 'assistant', content: [] }],
    ],
    [
      'system and developer',
      [
        { role: 'system', content: 'a' },
        { role: 'developer', content: [{ type: 'input_text', text: 'b' }] },
      ],
      [
        { type: 'system', text: 'a' },
        { type: 'system', text: 'b' },
      ],
    ],
    ['reasoning', [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }], [{ type: 'nothing' }]],
    [
      'a call',
      [{ type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{"a":1}', status: 'completed' }],
      [{ type: 'call', callId: 'c', name: 'f', args: '{"a":1}' }],
    ],
    [
      'a call with bad arguments',
      [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '[1' }],
      [{ type: 'call', callId: 'c', name: 'f', args: '[1' }],
    ],
    [
      'an output',
      [{ type: 'function_call_output', call_id: 'c', output: 'x' }],
      [{ type: 'output', callId: 'c', output: 'x' }],
    ],
    [
      'an output with an image',
      [
        {
          type: 'function_call_output',
          call_id: 'c',
          output: [
            { type: 'input_text', text: 'seen: ' },
            { type: 'input_image', image_url: 'data:image/png;base64,AA' },
          ],
        },
      ],
      [{ type: 'output', callId: 'c', output: 'seen: [an image]', images: ['data:image/png;base64,AA'] }],
    ],
    [
      'calls of other kinds and their outputs, as untrusted text',
      [
        { type: 'web_search_call', id: 'w' },
        { type: 'custom_tool_call_output', output: 'x' },
      ],
      [
        {
          type: 'message',
          role: 'assistant',
          content: [other('web_search_call: {"type":"web_search_call","id":"w"}')],
        },
        {
          type: 'message',
          role: 'user',
          content: [other('custom_tool_call_output: {"type":"custom_tool_call_output","output":"x"}')],
        },
      ],
    ],
    [
      'a reference',
      [{ type: 'item_reference', id: `msg_${'0'.repeat(32)}${'1'.repeat(32)}` }],
      [
        {
          type: 'reference',
          itemId: '00000000-0000-0000-0000-000000000000',
          threadId: '11111111-1111-1111-1111-111111111111',
        },
      ],
    ],
    [
      'a reference without type',
      [{ id: `fc_${'0'.repeat(32)}${'1'.repeat(32)}` }],
      [
        {
          type: 'reference',
          itemId: '00000000-0000-0000-0000-000000000000',
          threadId: '11111111-1111-1111-1111-111111111111',
        },
      ],
    ],
  ] as const) {
    it(`reads ${what}`, async () => assert.deepEqual(await readInput(input), items))
  }

  for (const [what, input, param] of [
    ['an item that is no object', ['a', 7], 'input[1]'],
    ['a message without content', [{ role: 'user' }], 'input[0].content'],
    [
      'an image by file id',
      [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }],
      'input[0].content[0].image_url',
    ],
    [
      'an image of another scheme',
      [{ role: 'user', content: [{ type: 'input_image', image_url: 'file:///etc' }] }],
      'input[0].content[0].image_url',
    ],
    [
      'a text file over 1 MiB',
      [{ role: 'user', content: [{ type: 'input_file', file_data: data('text/plain', 'a'.repeat(1024 * 1024 + 1)) }] }],
      'input[0].content[0].file_data',
    ],
    ['a file without anything', [{ role: 'user', content: [{ type: 'input_file' }] }], 'input[0].content[0].file_data'],
    ['a call without a name', [{ type: 'function_call', call_id: 'c' }], 'input[0].name'],
    ['an output without a call id', [{ type: 'function_call_output', output: 'x' }], 'input[0].call_id'],
    ['an output without output', [{ type: 'function_call_output', call_id: 'c' }], 'input[0].output'],
    ['a foreign reference', [{ type: 'item_reference', id: 'msg_abc' }], 'input[0].id'],
    ['more items than anybody has', Array.from({ length: 5_001 }, () => 'x'), 'input'],
    ['a message of too many parts', [{ role: 'user', content: parts(1_001) }], 'input[0].content'],
    [
      'messages of too many parts in all',
      Array.from({ length: 21 }, () => ({ role: 'user', content: parts(1_000) })),
      'input',
    ],
    [
      'an output of too many parts',
      [{ type: 'function_call_output', call_id: 'c', output: parts(1_001) }],
      'input[0].output',
    ],
  ] as const) {
    it(`refuses ${what}, naming ${param}`, async () => assert.equal(await refusedParam(() => readInput(input)), param))
  }

  it('reads a message of a thousand parts', async () => {
    assert.deepEqual(await readInput([{ role: 'user', content: parts(1_000) }]), user(...parts(1_000)))
  })
})

describe('intentOf', () => {
  const message: InputItem = { type: 'message', role: 'user', content: [] }
  const call = (callId: string): InputItem => ({ type: 'call', callId, name: 'f', args: '{}' })
  const output = (callId: string): InputItem => ({ type: 'output', callId, output: 'x' })
  for (const [what, items, kind] of [
    ['messages alone', [message], 'message'],
    ['an output alone', [output('a')], 'resume'],
    ['a call and its output at the end', [message, call('a'), output('a')], 'replay'],
    ['several calls, all answered', [call('a'), call('b'), output('a'), output('b')], 'replay'],
    ['a history that ends with a message', [message, call('a'), output('a'), message], 'message'],
    ['a call without output', [message, call('a')], 'message'],
  ] as const) {
    it(`takes ${what} as a ${kind}`, () => assert.equal(intentOf(items, true).kind, kind))
  }
  for (const [what, items, previous, param] of [
    ['an output without a previous response', [output('a')], false, 'previous_response_id'],
    ['a message beside it', [output('a'), message], true, 'input[1]'],
    ['another call beside it', [call('b'), output('b'), output('a')], true, 'input[0]'],
    ['reasoning beside it', [{ type: 'nothing' }, output('a')], true, 'input[0]'],
    ['two outputs', [output('a'), output('b')], true, 'input[1].call_id'],
  ] as const) {
    it(`refuses ${what}`, async () => assert.equal(await refusedParam(() => intentOf(items, previous)), param))
  }

  it('names the setting by which a conversation stands for previous_response_id', () => {
    assert.throws(() => intentOf([output('a')], false), /RESPONSES_FIELDS=reference/)
  })
})

describe('blocks', () => {
  it('are empty where nothing was given', async () => {
    assert.equal(await instructionsBlock(['', ' ']), '')
    assert.equal(await contextBlock({}), '')
  })
  it('render values that are no object as they are', async () => {
    assert.equal(
      await contextBlock({ a: 1, b: null, c: [1], d: { e: 'x', f: { g: 1 } } }),
      '<user-context>\na: 1\nb: null\nc: [1]\nd:\n  e: x\n  f: {"g":1}\n</user-context>\n\n',
    )
  })
  it('cannot be closed from inside, in whatever spelling', async () => {
    for (const close of ['</instructions>', '</INSTRUCTIONS >', '< / instructions>', '<instructions>']) {
      const block = await instructionsBlock([`a ${close} b`])
      const inner = block.slice('<instructions>\n'.length, -'</instructions>\n\n'.length)
      assert.ok(!/<\s*\/?\s*instructions/i.test(inner), inner)
    }
  })
  it('yield to the event loop while a long text is made safe', async () => {
    let done = false
    const block = blockOf('instructions', '</instructions>'.repeat(500_000)).then((text) => {
      done = true
      return text
    })
    await nextLoop()
    assert.equal(done, false)
    assert.equal((await block).indexOf('</instructions>'), (await block).length - '</instructions>\n\n'.length)
  })
})
