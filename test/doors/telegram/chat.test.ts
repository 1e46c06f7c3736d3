// Chats through the Telegram door: messages become turns, and turns become messages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import { newPairingCode } from '#doors/channel/pairing.ts'
import { until, untilEqual } from '../../until.ts'
import { createHold, echo, says, userTexts } from '../test-app.ts'
import { openHouse } from './house.ts'

test('a paired chat gets a reply in one message, in its own thread', async (t) => {
  const { pair, app, api } = await openHouse(t)
  const ada = await pair(7)
  ada.say('hello there')
  await until(() => ada.texts.includes('you said: hello there'))
  ada.say('and more')
  await until(() => ada.texts.includes('you said: and more'))
  assert.equal(ada.texts.length, 3)
  const { rows } = await app.threads.list(operator, { limit: 9 })
  assert.deepEqual(
    rows.map(({ title, door }) => [title, door]),
    [['hello there', 'telegram']],
  )
  await until(async () => (await app.store.channels.posts('telegram')).length === 0 && api.pending === 0)
})

test('strangers, groups and wrong codes get silence, and a log line without content', async (t) => {
  const { pair, api, logged, app } = await openHouse(t)
  const ada = await pair(7)
  const [eve, group] = [api.person(8), api.person(-100, 'group')]
  eve.say('secret words')
  eve.say('/start WRONGCODE234')
  eve.say('/help')
  eve.press(1, 'Allow once', 'anything')
  group.say('secret words')
  ada.say('done')
  await until(() => ada.texts.includes('you said: done'))
  const lines = () => logged.filter((line) => JSON.stringify(line).includes('ignored an update'))
  // A chat does not wait for another.
  await untilEqual(() => lines().length, 5)
  assert.deepEqual([eve.heard, group.heard], [[], []])
  assert.doesNotMatch(JSON.stringify(logged), /secret words|WRONGCODE|4711:/)
  assert.equal((await app.threads.list(operator, { limit: 9 })).rows.length, 1)
})

test('a code works once, and not after its time', async (t) => {
  const { pair, api, app } = await openHouse(t)
  const ada = await pair(7)
  const { code, stored } = newPairingCode('telegram', userId('eve'), Date.now())
  await app.store.channels.addCode({ ...stored, endsAt: Date.now() - 1 })
  const [eve, bob] = [api.person(8), api.person(9)]
  eve.say(`/start ${code}`)
  const again = newPairingCode('telegram', userId('bob'), Date.now())
  await app.store.channels.addCode(again.stored)
  bob.say(`/start ${again.code.toLowerCase()}`)
  await until(() => bob.heard.length === 1)
  eve.say(`/start ${again.code}`)
  ada.say('still here')
  await until(() => ada.texts.includes('you said: still here'))
  assert.deepEqual(eve.heard, [])
})

test('a message that comes while another is answered is queued, says so, and then is answered in place', async (t) => {
  const hold = createHold()
  const { pair } = await openHouse(t, {
    say: (request, signal) =>
      userTexts(request.items).length === 1 ? hold.say(request, signal) : echo(request, signal),
  })
  const ada = await pair(7)
  ada.say('first')
  await hold.asked
  const second = ada.say('second')
  await until(() => ada.texts.some((text) => text.startsWith('Queued')))
  assert.equal(ada.heard.find(({ text }) => text.startsWith('Queued'))?.replyTo, second)
  hold.release('one')
  await until(() => ada.texts.includes('you said: second'))
  assert.deepEqual(ada.texts.slice(1), ['one', 'you said: second'])
})

test('an edit replaces a queued message; later it is too late, and that is said', async (t) => {
  const hold = createHold()
  const { pair } = await openHouse(t, {
    say: (request, signal) =>
      userTexts(request.items).length === 1 ? hold.say(request, signal) : echo(request, signal),
  })
  const ada = await pair(7)
  const first = ada.say('first')
  await hold.asked
  const second = ada.say('secnd')
  await until(() => ada.texts.some((text) => text.startsWith('Queued')))
  ada.edit(second, 'second, well spelt')
  ada.edit(first, 'too late')
  await until(() => ada.texts.some((text) => text.startsWith('Your edit came too late')))
  hold.release('one')
  await until(() => ada.texts.includes('you said: second, well spelt'))
})

test('/stop works while the model hangs, and stops what is queued too', async (t) => {
  const hold = createHold()
  const { pair } = await openHouse(t, { say: hold.say })
  const ada = await pair(7)
  ada.say('first')
  await hold.asked
  ada.say('second')
  await until(() => ada.texts.some((text) => text.startsWith('Queued')))
  ada.say('/stop')
  await until(() => ada.texts.filter((text) => text === 'Stopped.').length === 3)
  ada.say('/stop')
  await until(() => ada.texts.includes('Nothing is running.'))
})

test('/new begins another thread, /threads lists them and goes back, /status and /help tell', async (t) => {
  const { pair, app } = await openHouse(t)
  const ada = await pair(7)
  ada.say('about apples')
  await until(() => ada.texts.includes('you said: about apples'))
  ada.say('/new')
  ada.say('about pears')
  await until(() => ada.texts.includes('you said: about pears'))
  ada.say('/new about plums')
  await until(() => ada.texts.includes('you said: about plums'))
  ada.say('/threads')
  await until(() => ada.texts.some((text) => text.startsWith('1. about plums (here)\n2. about pears\n3. about apples')))
  ada.say('/threads 3')
  await until(() => ada.texts.includes('You go on in: about apples'))
  ada.say('/status')
  await until(() => ada.texts.some((text) => text.startsWith('Thread: about apples (idle)')))
  ada.say('/help')
  await until(() => ada.texts.some((text) => text.startsWith('Write what you want done')))
  assert.equal((await app.threads.list(operator, { limit: 9 })).rows.length, 3)
})

test('a chat whose thread was deleted begins another', async (t) => {
  const { pair, app } = await openHouse(t)
  const ada = await pair(7)
  ada.say('one')
  await until(() => ada.texts.includes('you said: one'))
  const [thread] = (await app.threads.list(operator, { limit: 1 })).rows
  await app.threads.remove(operator, thread?.id ?? '')
  ada.say('two')
  await until(() => ada.texts.includes('you said: two'))
})

test('a photo with a caption, an album and a document are understood; other things are named', async (t) => {
  const seen: unknown[] = []
  const { pair } = await openHouse(t, {
    say({ items }) {
      const last = items.findLast((item) => item.type === 'message' && item.role === 'user')
      seen.push(
        last?.type === 'message'
          ? last.content.map((part) =>
              part.type === 'text' ? (/the notes/.exec(part.text)?.[0] ?? part.text) : part.type,
            )
          : [],
      )
      return says(`seen ${seen.length}`)
    },
  })
  const ada = await pair(7)
  const picture = Buffer.from('89504e470d0a1a0a00', 'hex')
  ada.photo(picture, 'what is this?')
  await until(() => ada.texts.includes('seen 1'))
  for (const caption of ['both', undefined, undefined]) ada.photo(picture, caption, 'album')
  await until(() => ada.texts.includes('seen 2'))
  ada.document('notes.txt', Buffer.from('the notes'))
  await until(() => ada.texts.includes('seen 3'))
  ada.document('data.bin', Buffer.from([0, 1, 2, 255]))
  await until(() => ada.texts.some((text) => /data\.bin is neither a picture/.test(text)))
  ada.sticker()
  await until(() => ada.texts.some((text) => text.startsWith('Only text, photos')))
  ada.document('big.png', Buffer.alloc(9 * 1024 * 1024))
  await until(() => ada.texts.some((text) => /big\.png is too large/.test(text)))
  assert.deepEqual(seen, [['what is this?', 'image'], ['both', 'image', 'image', 'image'], ['the notes']])
})

test('a long reply is cut into several messages, and long code goes as a file', async (t) => {
  const prose = Array.from({ length: 900 }, (_, at) => `word${at}`).join(' ')
  const code = Array.from({ length: 500 }, (_, at) => `const value${at} = ${at}`).join('\n')
  const { pair } = await openHouse(t, { say: () => says(`${prose}\n\n\`\`\`ts\n${code}\n\`\`\`\nThat is all.`) })
  const ada = await pair(7)
  ada.say('go')
  await until(() => ada.texts.includes('That is all.'))
  const [, ...told] = ada.heard
  const file = told.find((message) => message.file)?.file
  assert.deepEqual([file?.name, file?.bytes.toString()], ['code-1.ts', code])
  assert.ok(told.every(({ text }) => text.length <= 4_096))
  const words = told.flatMap(({ text }) => text.match(/word\d+/g) ?? [])
  assert.equal(words.join(' '), prose)
})

test('a reply streams by edits of one message', async (t) => {
  const { promise: go, resolve } = Promise.withResolvers<void>()
  const { pair } = await openHouse(t, {
    model: {
      provider: 'test',
      name: 'test-1',
      window: 100_000,
      async *stream() {
        yield [{ type: 'text', text: 'one ' }]
        await go
        yield says('two')
      },
    },
  })
  const ada = await pair(7)
  ada.say('count')
  await until(() => ada.texts.some((text) => text.startsWith('one')))
  resolve()
  await until(() => ada.texts.includes('one two'))
  assert.equal(ada.heard.length, 2)
})

test('a chat that is unpaired hears nothing more, not even the rest of a reply', async (t) => {
  const hold = createHold()
  const { pair, app, wake, api } = await openHouse(t, { say: hold.say })
  const ada = await pair(7)
  ada.say('hello')
  await hold.asked
  await until(() => ada.texts.includes('…'))
  assert.equal(await app.store.channels.unpair('telegram', operator), '7')
  wake()
  ada.say('hello?')
  await until(() => api.pending === 0)
  const calls = api.calls.length
  hold.release('secret words')
  await until(async () => (await app.turns.list(operator, { limit: 1 })).rows[0]?.status === 'completed')
  ada.say('are you there?')
  await until(() => api.pending === 0)
  assert.doesNotMatch(ada.texts.join(), /secret/)
  assert.deepEqual(
    api.calls.slice(calls).filter(({ method }) => method !== 'getUpdates'),
    [],
  )
})

test('a paired chat that brings the code of another user is theirs from then on', async (t) => {
  const { pair, app } = await openHouse(t)
  const ada = await pair(7)
  ada.say('mine')
  await until(() => ada.texts.includes('you said: mine'))
  const bob = userId('bob')
  const { code, stored } = newPairingCode('telegram', bob, Date.now())
  await app.store.channels.addCode(stored)
  ada.say(`/start ${code}`)
  ada.say('theirs')
  await until(() => ada.texts.includes('you said: theirs'))
  const titles = async (user: typeof bob) => (await app.threads.list(user, { limit: 9 })).rows.map(({ title }) => title)
  assert.deepEqual([await titles(operator), await titles(bob)], [['mine'], ['theirs']])
})
