// Which thread a history belongs to, and what a request adds to it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { historyOrigin } from '#core/origins.ts'
import { assistant, complete, type Message, user } from './client.ts'

import { ann, count, itemsOf, open, texts } from './thread-rig.ts'

describe('the thread of a history', () => {
  it('goes on through two hundred messages, and holds each once', async (t) => {
    const served = await open(t)
    const messages: Message[] = []
    const seen = new Set<string>()
    for (let at = 0; at < 100; at++) {
      messages.push(user(`message ${at}`))
      const { text, thread } = await complete(served, messages, { stream: at % 2 === 1 })
      seen.add(thread)
      messages.push(assistant(text))
    }
    assert.equal(seen.size, 1)
    assert.equal((await itemsOf(served, [...seen][0] ?? '')).length, 200)
    assert.equal(await count(served), 1)
  })

  it('is found however white space changed, and not when a word did', async (t) => {
    const served = await open(t)
    const first = await complete(served, [user('hi there')])
    const spaced = await complete(served, [user(' hi  there\n'), assistant(`\n${first.text}  `), user('more')])
    assert.equal(spaced.thread, first.thread)
    const changed = await complete(served, [user('hi there'), assistant(`${first.text} indeed`), user('more')])
    assert.notEqual(changed.thread, first.thread)
  })

  it('is never that of another user', async (t) => {
    const served = await open(t)
    const first = await complete(served, [user('hi')])
    const bobs = await complete(
      served,
      [user('hi'), assistant(first.text), user('more')],
      {},
      { authorization: 'Bearer bob' },
    )
    assert.equal(bobs.status, 200)
    assert.notEqual(bobs.thread, first.thread)
    const named = await complete(
      served,
      [user('hi')],
      {},
      { authorization: 'Bearer bob', 'x-atrium-thread': first.thread },
    )
    assert.deepEqual([named.status, named.error['param']], [404, 'X-Atrium-Thread'])
  })

  it('forks at an edit, and both branches go on', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('one')])
    const start = [user('one'), assistant(one.text)]
    const two = await complete(served, [...start, user('two')])
    const edited = await complete(served, [...start, user('other')])
    assert.notEqual(edited.thread, two.thread)
    assert.deepEqual(texts(await itemsOf(served, edited.thread)), ['one', one.text, 'other', edited.text])
    const left = await complete(served, [...start, user('two'), assistant(two.text), user('three')])
    const right = await complete(served, [...start, user('other'), assistant(edited.text), user('three')])
    assert.deepEqual([left.thread, right.thread], [two.thread, edited.thread])
    const again = await complete(served, [user('one')])
    assert.notEqual(again.thread, one.thread, 'without an answer among them messages start a thread')
  })

  it('forks a hundred times, and each fork goes on', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('one')])
    const start = [user('one'), assistant(one.text)]
    const forks = []
    for (let at = 0; at <= 100; at++) forks.push(await complete(served, [...start, user(`fork ${at}`)]))
    assert.equal(new Set(forks.map(({ thread }) => thread)).size, 101)
    const [, , third] = forks
    const on = await complete(served, [...start, user('fork 2'), assistant(third?.text), user('on')])
    assert.equal(on.thread, third?.thread)
  })

  it('imports what it did not say, and does not believe it', async (t) => {
    const served = await open(t)
    const history = [user('hi'), assistant('I am another model.'), user('go on')]
    const { thread, text } = await complete(served, history)
    const [, imported] = await itemsOf(served, thread)
    assert.ok(imported?.type === 'message' && imported.content[0]?.type === 'text')
    assert.equal(imported.content[0].origin, historyOrigin)
    assert.match(JSON.stringify(served.asked.at(-1)?.items[1]), /untrusted-content/)
    const next = await complete(served, [...history, assistant(text), user('more')])
    assert.equal(next.thread, thread)
  })

  it('keeps its own answers in a fork when others follow them', async (t) => {
    const served = await open(t)
    const one = await complete(served, [user('one')])
    const mixed = [user('one'), assistant(one.text), user('two'), assistant('said by another'), user('three')]
    const { thread } = await complete(served, mixed)
    assert.notEqual(thread, one.thread)
    const items = await itemsOf(served, thread)
    const origins = items.map(
      (item) => item.type === 'message' && item.content[0]?.type === 'text' && item.content[0].origin,
    )
    assert.deepEqual(origins, [undefined, undefined, undefined, historyOrigin, undefined, undefined])
  })

  it('is the one that the header names, with the newest messages alone', async (t) => {
    const served = await open(t)
    const first = await complete(served, [user('one')])
    const second = await complete(served, [user('two')], {}, { 'x-atrium-thread': first.thread })
    assert.equal(second.thread, first.thread)
    const third = await complete(
      served,
      [user('x'), assistant('y'), user('three')],
      {},
      { 'x-atrium-thread': first.thread },
    )
    assert.deepEqual(
      texts(await itemsOf(served, third.thread)).filter((_, at) => at % 2 === 0),
      ['one', 'two', 'three'],
    )
    for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000']) {
      assert.equal((await complete(served, [user('x')], {}, { 'x-atrium-thread': id })).status, 404)
    }
  })

  it('has instructions where they change, and not in its title', async (t) => {
    const served = await open(t)
    const system = (content: string): Message => ({ role: 'system', content })
    const one = await complete(served, [system('Be kind.'), user('one')])
    const two = await complete(served, [system('Be kind.'), user('one'), assistant(one.text), user('two')])
    const start = [user('one'), assistant(one.text), user('two'), assistant(two.text)]
    await complete(served, [system('Be brief.'), ...start, user('three')])
    const asked = texts(await itemsOf(served, one.thread)).filter((_, at) => at % 2 === 0)
    assert.deepEqual(
      asked.map((text) => /<instructions>\n(.*)\n/.exec(text)?.[1]),
      ['Be kind.', undefined, 'Be brief.'],
    )
    assert.equal((await served.threads.get(ann, one.thread))?.title, 'one')
  })
})
