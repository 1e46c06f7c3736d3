// Messages of a post: sent with a placeholder, edited at most once in a while, never said twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Post } from '#core/channel.ts'
import { operator } from '#core/ids.ts'
import type { Channel, Content, Outcome } from '#doors/channel/channel.ts'
import { createDelivery } from '#doors/channel/deliver.ts'

const post: Post = {
  id: 'p',
  channel: 'telegram',
  chat: '7',
  user: operator,
  kind: 'turn',
  text: '',
  messages: [],
}
const signal = new AbortController().signal
const text = (words: string): Content => ({ type: 'markdown', text: words })
const words = (content: Content): string => (content.type === 'file' ? `[${content.name}]` : content.text)

/** A chat that notes what is done in it, and a clock that stands still but for waits. */
function createChat({ held = true, answers = [] }: { held?: boolean; answers?: Outcome[] } = {}) {
  const done: string[] = []
  let stored: readonly string[] = []
  let next = 10
  let now = 0
  const channel: Channel = {
    name: 'telegram',
    account: '1',
    maxChars: 4_096,
    editGapMs: 1_000,
    updates: () => assert.fail('not asked for'),
    answerPress: () => assert.fail('not asked for'),
    fetchFile: () => assert.fail('not asked for'),
    send(_chat, content, { replyTo }) {
      done.push(`${now} send ${next} ${words(content)}${replyTo === undefined ? '' : ` to ${replyTo}`}`)
      return Promise.resolve({ type: 'sent', message: String(next++) })
    },
    edit(_chat, message, content) {
      done.push(`${now} edit ${message} ${words(content)}`)
      return Promise.resolve(answers.shift() ?? { type: 'done' })
    },
    remove(_chat, message) {
      done.push(`${now} remove ${message}`)
      return Promise.resolve({ type: 'done' })
    },
  }
  return {
    done,
    stored: () => stored,
    parts: {
      channel,
      store: {
        setMessages(_id: string, messages: readonly string[]) {
          stored = [...messages]
          done.push(`${now} store ${messages.join(' ')}`)
          return Promise.resolve()
        },
      },
      check: () => assert.ok(held, 'not held'),
      now: () => now,
      wait(ms: number) {
        now += ms
        return Promise.resolve()
      },
    },
  }
}

test('a message is sent as a placeholder, stored, and then says what it says', async () => {
  const { parts, done } = createChat()
  await createDelivery(post, { ...parts, replyTo: '3' }).show([text('hello')], signal)
  assert.deepEqual(done, ['0 send 10 … to 3', '0 store 10', '0 edit 10 hello'])
})

test('edits of a message lie a gap apart, and one that changes nothing is left out', async () => {
  const { parts, done } = createChat()
  const delivery = createDelivery(post, parts)
  for (const each of ['a', 'a', 'ab', 'abc']) await delivery.show([text(each)], signal)
  assert.deepEqual(done.slice(2), ['0 edit 10 a', '1000 edit 10 ab', '2000 edit 10 abc'])
})

test('after a restart the messages that are there are edited', async () => {
  const { parts, done } = createChat()
  await createDelivery({ ...post, messages: ['4', 'file:5'] }, parts).show(
    [text('one'), { type: 'file', name: 'a.txt', text: 'x' }, text('two')],
    signal,
  )
  assert.deepEqual(done, ['0 edit 4 one', '0 send 10 …', '0 store 4 file:5 10', '0 edit 10 two'])
})

test('a text that becomes a file, and messages too many, are removed from the end', async () => {
  const { parts, done, stored } = createChat()
  const delivery = createDelivery({ ...post, messages: ['4', '5', '6'] }, parts)
  await delivery.show([text('one'), { type: 'file', name: 'a.txt', text: 'x' }], signal)
  assert.deepEqual(done.slice(1, 5), ['0 remove 6', '0 store 4 5', '0 remove 5', '0 store 4'])
  assert.deepEqual(stored(), ['4', 'file:10'])
  await delivery.show([text('one')], signal)
  assert.deepEqual(stored(), ['4'])
})

test('a message that somebody deleted is sent again; a chat that is gone ends it', async () => {
  const missing = createChat({ answers: [{ type: 'missing' }] })
  assert.deepEqual(await createDelivery({ ...post, messages: ['4'] }, missing.parts).show([text('a')], signal), {
    type: 'done',
  })
  assert.deepEqual(missing.stored(), ['10'])
  const gone = createChat({ answers: [{ type: 'gone' }] })
  assert.deepEqual(
    await createDelivery({ ...post, messages: ['4'] }, gone.parts).show([text('a'), text('b')], signal),
    { type: 'gone' },
  )
  assert.equal(gone.done.length, 1)
})

test('a process that may have lost the channel says nothing', async () => {
  const { parts, done } = createChat({ held: false })
  await assert.rejects(createDelivery({ ...post, messages: ['4'] }, parts).show([text('a')], signal), /not held/)
  assert.deepEqual(done, [])
})
