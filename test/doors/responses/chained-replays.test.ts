// Clients that name the response or the conversation they continue, and later send their whole history.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { userId } from '#core/ids.ts'
import { textMessage, textOf } from '#core/item.ts'
import { outputOf, serve, type Served, textIn, weather, type Wire } from './serve.ts'

const ann = userId('ann')
const say = (content: string): Wire => ({ role: 'user', content })
const threadOf = (body: Wire): string => String(body['id']).slice(-32)

describe('a whole history after turns that named what they continue', () => {
  let served: Served
  before(async () => {
    served = await serve({
      rules: { fields: 'reference' },
      replies: [
        { when: 'weather', text: 'Let me look.', calls: [{ name: 'get_weather', args: {} }] },
        { afterTool: 'get_weather', text: 'Sunny.' },
        { when: 'broken', text: 'Half', error: { code: 'model_failed', message: 'broke', afterChunks: 1 } },
        { when: '', text: 'You said: {{input}}' },
      ],
    })
  })
  after(() => served.close())

  const ask = async (input: readonly Wire[], more: Wire = {}): Promise<Wire> =>
    (await served.create({ input, ...more })).body
  const lastTexts = () =>
    served.asked.at(-1)?.items.flatMap((item) => (item.type === 'message' ? [textOf(item)] : [])) ?? []

  /** Sends messages one by one, each behind the response before. Returns the whole history and the responses. */
  async function talk(texts: readonly string[], more: Wire = {}) {
    const history: Wire[] = []
    const bodies: Wire[] = []
    for (const text of texts) {
      const previous = bodies.at(-1)?.['id']
      const body = await ask([say(text)], {
        ...more,
        ...(previous !== undefined && { previous_response_id: previous }),
      })
      history.push(say(text), ...outputOf(body))
      bodies.push(body)
    }
    const [first = {}, last = {}] = [bodies[0], bodies.at(-1)]
    return { history, bodies, first, last }
  }

  it('goes on in their thread, and adds only what is new', async () => {
    const { history, first } = await talk(['one', 'two', 'three'])
    const next = await ask([...history, say('four')])
    assert.equal(threadOf(next), threadOf(first))
    assert.equal(lastTexts().length, 7)
    const last = await ask([say('five')], { previous_response_id: next['id'] })
    const whole = [...history, say('four'), ...outputOf(next), say('five'), ...outputOf(last), say('six')]
    assert.equal(threadOf(await ask(whole)), threadOf(first))
    assert.equal(lastTexts().length, 11)
  })

  it('goes on behind the output of a function that resumed its call', async () => {
    const tools = [weather]
    const { history, first, last } = await talk(['hello', 'weather?'], { tools })
    const output = { type: 'function_call_output', call_id: outputOf(last).at(-1)?.['call_id'], output: 'sun' }
    const resumed = await ask([output], { tools, previous_response_id: last['id'] })
    assert.equal(textIn(resumed), 'Sunny.')
    const next = await ask([...history, output, ...outputOf(resumed), say('thanks')], { tools })
    assert.equal(threadOf(next), threadOf(first))
    assert.equal(lastTexts().filter((text) => text === 'thanks').length, 1)
  })

  it('goes on behind a call that it brings the output of', async () => {
    const tools = [weather]
    const { history, first, last } = await talk(['good day', 'weather?'], { tools })
    const output = { type: 'function_call_output', call_id: outputOf(last).at(-1)?.['call_id'], output: 'rain' }
    const next = await ask([...history, output, say('and now?')], { tools })
    assert.equal(threadOf(next), threadOf(first))
  })

  it('leaves out reasoning, and repeats instructions only where they changed', async () => {
    const { history, first } = await talk(['a', 'b'], { instructions: 'Rule one.' })
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] }
    const next = await ask([...history.slice(0, 3), reasoning, ...history.slice(3), say('c')], {
      instructions: 'Rule one.',
    })
    assert.equal(threadOf(next), threadOf(first))
    assert.equal(lastTexts().at(-1), 'c')
    const silent = await ask([say('d')], { previous_response_id: next['id'] })
    const whole = [...history, say('c'), ...outputOf(next), say('d'), ...outputOf(silent), say('e')]
    await ask(whole, { instructions: 'Rule one.' })
    assert.equal(lastTexts().at(-1), 'e')
  })

  it('goes on where it ends with the answer of such a turn', async () => {
    const { history, first } = await talk(['talk', 'talk on'])
    assert.equal(threadOf(await ask(history)), threadOf(first))
    assert.equal(lastTexts().at(-1), 'Continue.')
  })

  it('goes on after a turn that failed, and after a message from another door', async () => {
    const { history, first, last } = await talk(['begin', 'go on'])
    const failed = await ask([say('broken')], { previous_response_id: last['id'] })
    assert.equal(failed['status'], 'failed')
    const { threadId } = (await served.turns.list(ann, { limit: 1 })).rows[0] ?? {}
    const other = await served.turns.start({
      user: ann,
      door: 'web',
      whenBusy: 'refuse',
      options: {},
      input: [textMessage('user', 'from the browser')],
      ...(threadId !== undefined && { threadId }),
    })
    for await (const events of other.events) void events
    const next = await ask([say('again')], { previous_response_id: last['id'] })
    assert.equal(threadOf(await ask([...history, say('again'), ...outputOf(next), say('end')])), threadOf(first))
  })

  it('goes on from the last known point after a turn behind a response that has none', async () => {
    const { history, first } = await talk(['known'])
    const failed = await ask([say('broken')], { previous_response_id: first['id'] })
    const behind = await ask([say('behind it')], { previous_response_id: failed['id'] })
    assert.equal(behind['status'], 'completed')
    assert.equal(threadOf(await ask([...history, say('on')])), threadOf(first))
  })

  it('goes on apart from a turn that came between the reading and the start of another', async (t) => {
    const { history, first } = await talk(['start'])
    const readEnd = served.threads.chainEnd
    const mocked = t.mock.method(served.threads, 'chainEnd', async (...of: Parameters<typeof readEnd>) => {
      const end = await readEnd(...of)
      mocked.mock.restore()
      await ask([say('between')], { previous_response_id: first['id'] })
      return end
    })
    const late = await ask([say('late')], { previous_response_id: first['id'] })
    assert.equal(threadOf(late), threadOf(first))
    assert.ok(lastTexts().includes('between'))
    const next = await ask([...history, say('late'), ...outputOf(late), say('on')])
    assert.notEqual(threadOf(next), threadOf(first))
    assert.ok(!lastTexts().includes('between'))
  })

  it('forks where it goes on from an earlier response, and keeps what stood there', async () => {
    const { history, bodies, first } = await talk(['root', 'left'])
    const right = await ask([say('right')], { previous_response_id: first['id'] })
    assert.equal(threadOf(right), threadOf(first))
    const onLeft = await ask([...history, say('more')])
    assert.notEqual(threadOf(onLeft), threadOf(first))
    assert.deepEqual(lastTexts(), ['root', textIn(first), 'left', textIn(bodies[1] ?? {}), 'more'])
    const onRight = await ask([...history.slice(0, 2), say('right'), ...outputOf(right), say('more')])
    assert.notEqual(threadOf(onRight), threadOf(first))
    assert.ok(!lastTexts().includes('left'))
  })

  it('goes on in a conversation that was made empty', async () => {
    const { id } = (await served.call('POST', '/v1/conversations', {})).body
    const history: Wire[] = []
    for (const text of ['in a conversation', 'still there']) {
      history.push(say(text), ...outputOf(await ask([say(text)], { conversation: id })))
    }
    const next = await ask([...history, say('whole')])
    assert.equal(threadOf(next), String(id).slice('conv_'.length).replaceAll('-', ''))
    assert.equal(lastTexts().length, 5)
  })

  it('goes on in a temporary thread, which stays temporary', async () => {
    const { history, first } = await talk(['in passing', 'on'], { store: false })
    const next = await ask([...history, say('by')], { store: false })
    assert.equal(threadOf(next), threadOf(first))
    const listed = (await served.threads.list(ann, { limit: 100 })).rows.map(({ id }) => id.replaceAll('-', ''))
    assert.ok(!listed.includes(threadOf(first)))
  })
})
