// JSON of model servers that would take long to parse: it is refused before, in a stream, as a whole, and through a package.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { excessIn } from '#models/line-bounds.ts'
import { serve as serveAnthropic } from './anthropic-client.ts'
import { delta, done, line, never, serve, stop, streaming } from './chat-server.ts'
import { collect, fails, hello, send } from './wire.ts'

const wide = Array.from({ length: 10_001 }, (_, at) => `"k${at}":0`).join()
const costly: readonly [what: string, json: string, says: RegExp][] = [
  ['values', `[${'0,'.repeat(20_000)}0]`, /more than 20000 values in a line/],
  ['names', `{${wide}}`, /more than 10000 field names in a line/],
  ['levels', `${'['.repeat(101)}${' '.repeat(20_000)}${']'.repeat(101)}`, /more than 100 levels in a line/],
]

for (const [what, json, says] of costly) {
  test(`a line with too many ${what} ends the answer`, async (t) => {
    const data = `{"choices":[],"x":${json}}`
    const { model } = await serve(t, streaming(delta({ content: 'a' }), `data: ${data}\n\n`, stop, done))
    assert.match((await fails(collect(model))).message, says)
    const whole = await serve(t, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(data)
    })
    assert.match((await fails(collect(whole.model))).message, says)
    const { model: claude } = await serveAnthropic(t, [(response) => send(response, [`data: ${data}\n\n`])])
    assert.match((await fails(collect(claude))).message, says)
  })
}

const [, brackets] = costly[0] ?? ['', '']
const inLines = brackets.replaceAll(/(?:0,){1000}/g, '$&\ndata: ')
const hidden: readonly [how: string, event: string][] = [
  ['lines of one event', `data: {"x":${inLines}}\n\n`],
  ['lines of one event behind a comment with a quote', `: "\ndata: {"x":${inLines}}\n\n`],
  ['a line that ends with a carriage return', `data: {"x":${brackets}}\r\r`],
  ['a first line behind a byte order mark', `\ufeffdata: {"x":${brackets}}\r\n\r\n`],
]
for (const [how, event] of hidden) {
  test(`too many values in ${how} end the answer of a package`, async (t) => {
    const { model } = await serveAnthropic(t, [(response) => send(response, [event])])
    assert.match((await fails(collect(model))).message, /more than 20000 values in a line/)
  })
}

test('a long line of text is no reason to refuse it', () => {
  assert.equal(excessIn(line({ choices: [{ delta: { content: '{[,:"'.repeat(100_000) } }] })), undefined)
})

test('an answer that is no stream has at most 8 MiB', async (t) => {
  const { model } = await serve(t, (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ choices: [{ message: { content: 'a'.repeat(8 * 1024 * 1024) } }] }))
  })
  assert.match((await fails(collect(model))).message, /beyond the size limit/)
})

test('a flood of lines is read in small batches', async (t) => {
  const each = delta({ reasoning_content: 'a' })
  const { model } = await serve(t, streaming(each.repeat(20_000), stop, done))
  let largest = 0
  let all = 0
  for await (const batch of model.stream(hello, never)) {
    largest = Math.max(largest, batch.length)
    all += batch.length
  }
  assert.equal(all, 20_001)
  assert.ok(largest * each.length < 256 * 1024, `${largest} events at once`)
})
