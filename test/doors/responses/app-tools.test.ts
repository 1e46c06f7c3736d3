// The tools of whole apps: functions in namespaces and with names of ours, and their events.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { appsRules } from '#config/responses.ts'
import { callOf, outputFor } from './caller-functions.ts'
import { serve, type Served, textIn, weather, type Wire } from './serve.ts'

describe('the tools of whole apps', () => {
  let served: Served
  before(async () => {
    served = await serve({
      replies: [
        { when: 'fetch', calls: [{ name: 'caller_time', args: { a: 1 } }] },
        { afterTool: 'caller_time', calls: [{ name: 'crm__find', args: { b: 2 } }] },
        { when: 'go on', text: 'Found.' },
      ],
      rules: appsRules,
    })
  })
  after(() => served.close())

  it('come back under their own names through calls, replays, retrieval and the list of inputs', async () => {
    const crm = { type: 'namespace', name: 'crm', tools: [{ ...weather, name: 'find' }] }
    const tools = [{ type: 'web_search' }, { ...weather, name: 'time' }, crm]
    const user = { role: 'user', content: 'fetch' }
    const first = (await served.create({ input: [user], tools })).body
    assert.equal(callOf(first)['name'], 'time')
    assert.deepEqual(first['tools'], tools.slice(1))
    const second = (await served.create({ input: [user, callOf(first), outputFor(first)], tools })).body
    assert.deepEqual([callOf(second)['name'], callOf(second)['namespace']], ['find', 'crm'])
    const history = [user, callOf(first), outputFor(first), callOf(second), outputFor(second)]
    const input = [...history, { role: 'user', content: 'go on' }]
    // To another user the whole history is new.
    const bob = { authorization: 'Bearer bob' }
    const third = (await served.create({ input, tools }, bob)).body
    assert.equal(textIn(third), 'Found.')
    const offered = served.asked.at(-1)?.items.flatMap((item) => (item.type === 'call' ? [item.name] : []))
    assert.deepEqual(offered, ['caller_time', 'crm__find'])
    const path = `/responses/${String(third['id'])}/input_items?order=asc`
    const listed = (await served.get(path, bob)).body['data'] as Wire[]
    const calls = listed.filter(({ type }) => type === 'function_call').map(({ name, namespace }) => [name, namespace])
    assert.deepEqual(calls, [
      ['time', undefined],
      ['find', 'crm'],
    ])
  })

  it('stream their arguments in the events of the reference', async () => {
    const events = await served.stream({ input: 'fetch', tools: [{ ...weather, name: 'time' }] })
    assert.deepEqual(
      events.map(({ event }) => event),
      [
        'response.created',
        'response.output_item.added',
        'response.function_call_arguments.delta',
        'response.function_call_arguments.done',
        'response.output_item.done',
        'response.completed',
      ],
    )
    const [, added, delta, done, item] = events.map(({ data }) => data)
    assert.deepEqual(
      [added?.['item'], item?.['item']].map((each) => [(each as Wire)['status'], (each as Wire)['arguments']]),
      [
        ['in_progress', ''],
        ['completed', '{"a":1}'],
      ],
    )
    const { id } = (item ?? {})['item'] as Wire
    assert.deepEqual([delta?.['item_id'], delta?.['delta'], done?.['arguments']], [id, '{"a":1}', '{"a":1}'])
    assert.deepEqual(
      events.map(({ data }) => data['sequence_number']),
      [0, 1, 2, 3, 4, 5],
    )
  })

  it('follow the header of a request rather than the setting', async () => {
    const body = { input: 'fetch', tools: [{ ...weather, name: 'time' }] }
    const events = await served.stream(body, { 'x-atrium-events': 'specified' })
    assert.ok(!events.some(({ event }) => event.includes('arguments')))
    const { id } = (events[0]?.data ?? {})['response'] as Wire
    const again = await served.get(`/responses/${String(id)}?stream=true`, { 'x-atrium-events': 'reference' })
    assert.match(again.text, /function_call_arguments\.done/)
  })
})
