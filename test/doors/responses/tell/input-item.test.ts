// Entries of the log as the input items that a client sent.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Item, textMessage } from '#core/item.ts'
import { summaryOrigin } from '#core/origins.ts'
import { closeCompaction } from '#doors/responses/read/compaction.ts'
import { inputItem } from '#doors/responses/tell/input-item.ts'

const [id, threadId] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
const hex = '0000000000007000800000000000000100000000000070008000000000000002'
const own = { name: 'f', namespace: 'n' }
const options = { tools: [{ name: 'n__f', description: '', parameters: {}, own }] }
const told = (item: Item) => inputItem({ seq: 1, id, turnId: 't', at: 0, item }, { threadId, options })

const said = (text: string, status: string) => ({
  id: `msg_${hex}`,
  type: 'message',
  status,
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
})
const output = (of: unknown) => ({
  id: `fc_${hex}`,
  type: 'function_call_output',
  status: 'completed',
  call_id: 'c',
  output: of,
})
const url = 'data:image/png;base64,AA'
const picture = { type: 'input_image', image_url: url, detail: 'auto' }

describe('inputItem', () => {
  for (const [what, item, wire] of [
    ["an assistant's message", textMessage('assistant', 'a'), said('a', 'completed')],
    ['a cut message', { ...textMessage('assistant', 'a'), cut: true }, said('a', 'incomplete')],
    [
      "a user's message",
      textMessage('user', 'a', [
        { type: 'image', url },
        { type: 'file', name: 'n', text: 'b' },
      ]),
      {
        id: `msg_${hex}`,
        type: 'message',
        status: 'completed',
        role: 'user',
        content: [{ type: 'input_text', text: 'a' }, picture, { type: 'input_file', filename: 'n', text: 'b' }],
      },
    ],
    [
      'a compaction',
      { type: 'message', role: 'user', content: [{ type: 'text', text: 's', origin: summaryOrigin }] },
      { id: `msg_${hex}`, type: 'compaction', encrypted_content: closeCompaction({ text: 's', tainted: true }) },
    ],
    [
      'a call, under the name that its caller gave it',
      { type: 'call', callId: 'c', name: 'n__f', args: '{"a":1}' },
      { id: `fc_${hex}`, type: 'function_call', status: 'completed', call_id: 'c', ...own, arguments: '{"a":1}' },
    ],
    ['a result', { type: 'result', callId: 'c', output: 'x' }, output('x')],
    [
      'an answer with an image',
      { type: 'answer', callId: 'c', decision: 'output', output: 'x', images: [url], by: 'ann' },
      output([{ type: 'input_text', text: 'x' }, picture]),
    ],
    ['an answer without text', { type: 'answer', callId: 'c', decision: 'output', by: 'ann' }, output('')],
    ['a result with a list of no images', { type: 'result', callId: 'c', output: 'x', images: [] }, output('x')],
    ['no reasoning', { type: 'reasoning', text: 'hm' }, undefined],
    ['no attempt', { type: 'attempt', callId: 'c' }, undefined],
    ['no gate', { type: 'gate', callId: 'c', kind: 'output', name: 'f', args: '{}', prompt: '' }, undefined],
  ] satisfies [string, Item, unknown][]) {
    it(`tells ${what}`, () => assert.deepEqual(told(item), wire))
  }
})
