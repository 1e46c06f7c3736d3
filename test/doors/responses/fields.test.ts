// Fields beyond the specification: ignored by default, and what the reference says where the operator wants it.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { appsRules } from '#config/responses.ts'
import { until } from '../../until.ts'
import { errorOf, serve, type Served, textIn, weather } from './serve.ts'

const replies = [
  { when: 'weather', calls: [{ name: 'get_weather', args: {} }] },
  { when: '', text: 'Hello.' },
]

describe('fields of the reference', () => {
  let specified: Served
  let reference: Served
  before(async () => {
    specified = await serve({ replies })
    reference = await serve({ replies, rules: appsRules })
  })
  after(async () => {
    await specified.close()
    await reference.close()
  })

  it('max_output_tokens reaches the model and is echoed; what is no whole number above 0 is ignored', async () => {
    const { body } = await reference.create({ input: 'hi', max_output_tokens: 64 })
    assert.equal(body['max_output_tokens'], 64)
    assert.deepEqual(reference.asked.at(-1)?.sampling, { maxTokens: 64 })
    for (const wrong of [0, -1, 1.5, '64', null]) {
      const ignored = await reference.create({ input: 'hi', max_output_tokens: wrong })
      assert.deepEqual([ignored.status, ignored.body['max_output_tokens']], [200, null])
    }
    assert.equal((await specified.create({ input: 'hi', max_output_tokens: 64 })).body['max_output_tokens'], null)
    assert.equal(specified.asked.at(-1)?.sampling, undefined)
  })

  it('background answers at once, and GET tells the rest', async () => {
    const { body } = await reference.create({ input: 'hi', background: true })
    assert.equal(body['background'], true)
    assert.match(String(body['status']), /^(queued|in_progress)$/)
    const path = `/responses/${String(body['id'])}`
    await until(async () => (await reference.get(path)).body['status'] === 'completed')
    assert.equal(textIn((await reference.get(path)).body), 'Hello.')
    const plain = await specified.create({ input: 'hi', background: true })
    assert.deepEqual([plain.body['status'], plain.body['background']], ['completed', false])
  })

  it('x_service_tools says which tools of the service the turn may use, also when it is resumed', async () => {
    const names = () => reference.asked.at(-1)?.tools.map(({ name }) => name)
    await reference.create({ input: 'hi', x_service_tools: false })
    assert.deepEqual(names(), [])
    await reference.create({ input: 'hi', x_service_tools: ['time', 'none'] })
    assert.deepEqual(names(), ['time'])
    await reference.create({ input: 'hi', x_service_tools: ['time', 7, 'x'.repeat(65)] })
    assert.deepEqual(names(), ['time'], 'what is no name opens no tool')
    await reference.create({ input: 'hi', x_service_tools: 7 })
    assert.deepEqual(names(), ['time', 'workspace_write'])
    const first = (await reference.create({ input: 'weather', tools: [weather], x_service_tools: false })).body
    const [call] = first['output'] as { call_id: string }[]
    const output = { type: 'function_call_output', call_id: call?.call_id, output: 'sun' }
    await reference.create({ input: [output], previous_response_id: first['id'] })
    assert.deepEqual(names(), ['get_weather'])
  })

  it('input_tokens estimates a request without storing anything', async () => {
    const asked = specified.asked.length
    const count = async (input: string) => {
      const { body } = await specified.call('POST', '/v1/responses/input_tokens', { model: 'm', input })
      assert.equal(body['object'], 'response.input_tokens')
      return Number(body['input_tokens'])
    }
    const [short, long] = [await count('hi'), await count('x'.repeat(4_000))]
    assert.ok(short > 0 && long > short + 900)
    assert.equal(specified.asked.length, asked)
  })

  it('a WebSocket upgrade is answered 426, a plain GET 405', async () => {
    const plain = await specified.get('/responses')
    assert.deepEqual([plain.status, errorOf(plain.body)['code']], [405, 'method_not_allowed'])
    assert.equal(plain.headers.get('allow'), 'POST')
    const headers = { authorization: 'Bearer ann', upgrade: 'websocket', connection: 'upgrade' }
    const status = await new Promise((resolve, reject) => {
      request(`${specified.url}/v1/responses`, { headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })
    assert.equal(status, 426)
  })
})
