// Request bodies: tools and pictures are rendered once, ahead of the body and with pauses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextLoop } from 'node:timers/promises'
import type { Message } from '#core/item.ts'
import { type Body, type BodyRules, createBodyWriter } from '#models/chat-body.ts'

const textOf = (body: Body): string => body.join('')
/** For a server that takes everything. */
const rules: BodyRules = { sampling: true, effort: true, openai: false }

/** A schema that takes long to adapt: each branch refers to the whole. */
function slowTool(at: number) {
  const parameters = { oneOf: Array.from({ length: 4_000 }, () => ({ $ref: '#' })) }
  return { name: `tool_${at}`, description: 'A tool.', parameters }
}

test('tools that are new are rendered with pauses for the event loop, and only once', async () => {
  const bodies = createBodyWriter('m', rules)
  const tools = Array.from({ length: 200 }, (_, at) => slowTool(at))
  let done = false
  const prepared = bodies.prepare({ tools, items: [] })?.then(() => {
    done = true
  })
  await nextLoop()
  assert.equal(done, false)
  await prepared
  assert.equal(bodies.prepare({ tools, items: [] }), undefined)
  assert.equal(bodies.prepare({ tools: tools.slice(1), items: [] }), undefined)
  assert.equal(JSON.parse(textOf(await bodies.write({ system: '', items: [], tools }))).tools.length, 200)
})

test('a body is the same with and without prepared tools', async () => {
  const [prepared, bare] = [createBodyWriter('m', rules), createBodyWriter('m', rules)]
  const request = { system: 'Be kind.', items: [], tools: [slowTool(1)] }
  await prepared.prepare(request)
  assert.deepEqual(prepared.write(request), bare.write(request))
})

test('a large picture is rendered with pauses, and a long body is made with pauses', async (t) => {
  const url = `data:image/png;base64,${'A'.repeat(3_000_000)}`
  const say = (text: string): Message => ({
    type: 'message',
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image', url },
    ],
  })
  // A pair of halves at every place where a slice could end.
  const items = [say('\u{1F3DB}'.repeat(150_000)), say(`a${'\u{1F3DB}'.repeat(150_000)}`)]
  const request = { system: '', items, tools: [] }
  const bodies = createBodyWriter('m', rules)
  let longest = 0
  const { stringify } = JSON
  t.mock.method(JSON, 'stringify', (value: unknown) => {
    const json = stringify(value)
    longest = Math.max(longest, json.length)
    return json
  })
  await bodies.prepare(request)
  const made = bodies.write(request)
  t.mock.restoreAll()
  assert.ok(longest < 200_000, `${longest} letters at once`)
  assert.ok(made instanceof Promise)
  const { messages } = JSON.parse(textOf(await made)) as { messages: unknown[] }
  assert.deepEqual(
    messages,
    items.map(({ content: [text] }) => ({
      role: 'user',
      content: [text, { type: 'image_url', image_url: { url } }],
    })),
  )
  assert.equal(bodies.prepare(request), undefined, 'once')
})

test('the bytes of the tools are the same for all bodies', () => {
  const bodies = createBodyWriter('m', rules)
  const tools = [slowTool(1)]
  const [first, second] = ['Hi', 'Hello'].map((system) => bodies.write({ system, items: [], tools }) as Body)
  const shared = first?.filter((block) => second?.includes(block)) ?? []
  assert.match(textOf(shared), /"name":"tool_1"/)
})

test('sampling goes out in the fields that the server takes', () => {
  const request = { system: '', items: [], tools: [] }
  const sampling = { topP: 0.5, stop: ['END'], seed: 7, maxTokens: 9, effort: 'low' }
  const sent = (other: Partial<BodyRules>, more: object) => {
    const {
      model: _,
      stream: __,
      stream_options: ___,
      messages: ____,
      ...fields
    } = JSON.parse(
      textOf(createBodyWriter('m', { ...rules, ...other }).write({ ...request, ...more }) as Body),
    ) as Record<string, unknown>
    return fields
  }
  assert.deepEqual(sent({}, { sampling }), {
    top_p: 0.5,
    stop: ['END'],
    seed: 7,
    max_tokens: 9,
    reasoning_effort: 'low',
  })
  assert.deepEqual(sent({}, { sampling: { seed: 0 } }), { seed: 0 })
  assert.deepEqual(sent({}, { sampling: {} }), {})
  const reasoning = { openai: true, sampling: false, effort: true }
  assert.deepEqual(sent(reasoning, { sampling }), { seed: 7, max_completion_tokens: 9, reasoning_effort: 'low' })
  const plain = { openai: true, sampling: true, effort: false }
  assert.deepEqual(sent(plain, { sampling }), { top_p: 0.5, stop: ['END'], seed: 7, max_completion_tokens: 9 })
  assert.deepEqual(sent({}, { json: true }), { response_format: { type: 'json_object' } })
})
