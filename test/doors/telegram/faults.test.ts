// The Telegram door against a Bot API that limits, refuses, loses answers and is restarted upon.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import type { Model } from '#core/model.ts'
import { until } from '../../until.ts'
import { says } from '../test-app.ts'
import { openHouse } from './house.ts'

/** A model that says one word after the other, each when it is let. */
function createSpeaker(): { model: Model; next: (word: string) => void; end: () => void } {
  const words: string[] = []
  let ended = false
  let wake = (): void => {}
  return {
    next(word) {
      words.push(word)
      wake()
    },
    end() {
      ended = true
      wake()
    },
    model: {
      provider: 'test',
      name: 'test-1',
      window: 100_000,
      async *stream(_request, signal) {
        for (let at = 0; ; ) {
          signal.throwIfAborted()
          if (at < words.length) yield [{ type: 'text', text: words[at++] ?? '' }]
          else if (ended) break
          else {
            await new Promise<void>((resolve) => {
              wake = resolve
              signal.addEventListener('abort', () => resolve(), { once: true })
            })
          }
        }
        yield says('')
      },
    },
  }
}

test('a restart in the middle of a reply finishes that message', async (t) => {
  const speaker = createSpeaker()
  const { pair, closeDoor, openDoor } = await openHouse(t, { model: speaker.model })
  const ada = await pair(7)
  ada.say('count')
  speaker.next('one ')
  await until(() => ada.texts.some((text) => text.startsWith('one')))
  const [, reply] = ada.heard
  await closeDoor()
  speaker.next('two')
  speaker.end()
  openDoor()
  await until(() => ada.texts.includes('one two'))
  assert.deepEqual(
    ada.heard.slice(1).map(({ id, text }) => [id, text]),
    [[reply?.id, 'one two']],
  )
})

test('an answer that is lost leaves at worst a placeholder, and is never said twice', async (t) => {
  const { pair, api } = await openHouse(t)
  const ada = await pair(7)
  api.lose('sendMessage')
  api.lose('editMessageText')
  ada.say('hello')
  await until(() => ada.texts.includes('you said: hello'))
  assert.deepEqual(
    ada.texts.slice(1).filter((text) => text !== '…'),
    ['you said: hello'],
  )
})

test('a reply that could not be sent is named, with a link', async (t) => {
  const { pair, api } = await openHouse(t)
  const ada = await pair(7)
  let sends = 0
  api.watch((method, now) => method === 'sendMessage' && now === 'behind' && ++sends <= 2)
  ada.say('hello')
  await until(() => ada.texts.some((text) => text.startsWith('A message to you could not be sent here')))
  assert.match(ada.texts.at(-1) ?? '', /See it here: https:\/\/atrium\.example\/threads\//)
  ada.say('again')
  await until(() => ada.texts.includes('you said: again'))
  assert.ok(!ada.texts.includes('you said: hello'))
})

test('the note about a reply that could not be sent is not cut off by a look for other posts', async (t) => {
  const { pair, api, app, wake } = await openHouse(t)
  const ada = await pair(7)
  let sends = 0
  let letGo = (): void => {}
  api.watch((method, now) => {
    if (method !== 'sendMessage' || now !== 'behind' || ++sends > 2) return false
    if (sends === 2) letGo = api.hold('sendMessage')
    return true
  })
  const sent = () => api.calls.filter(({ method }) => method === 'sendMessage').length
  const before = sent()
  ada.say('hello')
  await until(() => sent() === before + 3)
  const { mock: looks } = t.mock.method(app.store.channels, 'posts')
  wake()
  await until(() => looks.callCount() > 0)
  assert.deepEqual(await looks.calls[0]?.result, [], 'the post is finished')
  ada.say('/status')
  await until(() => sent() === before + 4)
  letGo()
  await until(() => ada.texts.some((text) => text.startsWith('A message to you could not be sent here')))
})

test('a rate limit is waited out for as long as Telegram says', async (t) => {
  const { pair, api } = await openHouse(t)
  const ada = await pair(7)
  for (const method of ['sendMessage', 'editMessageText']) api.limit(method, 1)
  const before = api.calls.length
  ada.say('hello')
  await until(() => ada.texts.includes('you said: hello'))
  for (const method of ['sendMessage', 'editMessageText']) {
    const [limited, again] = api.calls.slice(before).filter((call) => call.method === method)
    assert.ok((again?.at ?? 0) - (limited?.at ?? 0) >= 1_000, method)
  }
})

test('markup that Telegram refuses goes as plain text', async (t) => {
  const { pair, api } = await openHouse(t, { say: () => says('some **bold** words') })
  const ada = await pair(7)
  // While the reply grows, too: it may be shown before its turn has ended.
  api.refuseMarkup()
  ada.say('hello')
  await until(() => ada.texts.includes('some **bold** words'))
})

test('a reply with markup is shown with it', async (t) => {
  const { pair } = await openHouse(t, {
    say: () => says('# Title\nsome **bold** & `a<b` words\n```ts\nif (a < b) {}\n```'),
  })
  const ada = await pair(7)
  ada.say('hello')
  await until(() => ada.texts.includes('Title\nsome bold & a<b words\nif (a < b) {}'))
  assert.match(ada.heard[1]?.source ?? '', /<b>Title<\/b>\nsome <b>bold<\/b> &amp; <code>a&lt;b<\/code>/)
})

test('a blocked bot gives up its messages, and answers again once it is unblocked', async (t) => {
  const { pair, app, api } = await openHouse(t)
  const ada = await pair(7)
  ada.block()
  ada.say('hello')
  await until(async () => api.pending === 0 && (await app.store.channels.posts('telegram')).length === 0)
  assert.equal((await app.turns.list(operator, { limit: 9 })).rows.length, 1)
  ada.unblock()
  ada.say('again')
  await until(() => ada.texts.includes('you said: again'))
})

test('a message that was deleted in the chat is sent again', async (t) => {
  const speaker = createSpeaker()
  const { pair, api } = await openHouse(t, { model: speaker.model })
  const ada = await pair(7)
  ada.say('count')
  speaker.next('one ')
  await until(() => ada.texts.some((text) => text.startsWith('one')))
  api.refuse('editMessageText', 400, 'Bad Request: message to edit not found')
  speaker.next('two')
  speaker.end()
  await until(() => ada.texts.includes('one two'))
})

test('outages, conflicts and errors of the server pass', async (t) => {
  const { pair, api } = await openHouse(t)
  const ada = await pair(7)
  api.refuse('getUpdates', 409, 'Conflict: terminated by other getUpdates request')
  api.refuse('sendMessage', 502, 'Bad Gateway')
  ada.say('hello')
  await until(() => ada.texts.includes('you said: hello'))
  await until(() => api.pending === 0)
})

for (const code of ['database_unavailable', 'disk_full', 'home_unwritable'] as const) {
  test(`a message outlasts a store that cannot take it: ${code}`, async (t) => {
    const { pair, app } = await openHouse(t)
    const ada = await pair(7)
    t.mock.method(app.store.channels, 'takeTurn', () => Promise.reject(new AppError(code, 'not now')), { times: 1 })
    ada.say('hello')
    await until(() => ada.texts.includes('you said: hello'))
    assert.equal(ada.texts.length, 2)
  })
}

test('a chat is not held up by the file of another', async (t) => {
  const { pair, api, app } = await openHouse(t)
  const [ada, bob] = [await pair(7), await pair(8, 'bob' as never)]
  const release = api.hold('getFile')
  ada.document('slow.txt', Buffer.from('slow'), 'read this')
  bob.say('quick')
  await until(() => bob.texts.includes('you said: quick'))
  assert.equal((await app.turns.list(operator, { limit: 9 })).rows.length, 0)
  release()
  await until(() => ada.texts.some((text) => text.startsWith('you said: read this')))
})

test('a door that was woken before it holds the channel tells what comes later', async (t) => {
  const { pair, closeDoor, openDoor, wake } = await openHouse(t)
  const ada = await pair(7)
  await closeDoor()
  openDoor()
  wake()
  ada.say('hello')
  await until(() => ada.texts.includes('you said: hello'))
})
