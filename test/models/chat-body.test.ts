// Request bodies: tools are rendered once, ahead of the body and with pauses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { createBodyWriter } from '#models/chat-body.ts'

/** A schema that takes long to adapt: each branch refers to the whole. */
function slowTool(at: number) {
  const parameters = { oneOf: Array.from({ length: 4_000 }, () => ({ $ref: '#' })) }
  return { name: `tool_${at}`, description: 'A tool.', parameters }
}

test('tools that are new are rendered with pauses for the event loop, and only once', async () => {
  const bodies = createBodyWriter('m')
  const tools = Array.from({ length: 200 }, (_, at) => slowTool(at))
  let done = false
  const prepared = bodies.prepare(tools)?.then(() => {
    done = true
  })
  await nextLoop()
  assert.equal(done, false)
  await prepared
  assert.equal(bodies.prepare(tools), undefined)
  assert.equal(bodies.prepare(tools.slice(1)), undefined)
  assert.equal(JSON.parse(bodies.write({ system: '', items: [], tools })).tools.length, 200)
})

test('a body is the same with and without prepared tools', async () => {
  const [prepared, bare] = [createBodyWriter('m'), createBodyWriter('m')]
  const request = { system: 'Be kind.', items: [], tools: [slowTool(1)] }
  await prepared.prepare(request.tools)
  assert.equal(prepared.write(request), bare.write(request))
})
