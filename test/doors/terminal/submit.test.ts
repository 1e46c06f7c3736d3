// What becomes of the composer's text with Enter: sent once, and back in the composer when it could not be sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripTerminalSequences } from '@earendil-works/pi-tui'
import { AppError } from '#core/errors.ts'
import type { OutgoingMessage, Sent } from '#turns/operator-client.ts'
import { until } from '../../turns/house.ts'
import { stage, type Staged } from './fake.ts'

const text = ({ app }: Staged): string => stripTerminalSequences(app.render(80).join('\n'))
const shows = (staged: Staged, what: RegExp): Promise<void> => until(() => what.test(text(staged)))

function type({ app }: Staged, keys: string): void {
  for (const key of keys) app.press(key)
}

/** The app with a service that refuses a message once, when it is told to. */
async function stageRefusing() {
  const sent: OutgoingMessage[] = []
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: refusal, reject: refuse } = Promise.withResolvers<Sent>()
  const staged = await stage(80, 24, {
    send: (message) => {
      sent.push(message)
      if (sent.length !== 2) return Promise.resolve({ threadId: 'thread', turnId: 'sent', queued: false })
      ask()
      return refusal
    },
  })
  return { staged, sent, asked, refuse: () => refuse(new AppError('overloaded', 'it has too much to do')) }
}

test('a message that was refused is back in the composer, with its files', async (t) => {
  const { staged, sent, asked, refuse } = await stageRefusing()
  t.after(() => staged.app.close())
  type(staged, '/attach notes.txt\r')
  await shows(staged, /notes\.txt/)
  type(staged, 'first words\r')
  await asked
  assert.doesNotMatch(text(staged), /▏first words/)
  refuse()
  await shows(staged, /Not sent: it has too much to do[\s\S]*▏first words/)
  type(staged, '\r')
  type(staged, 'second words\r')
  await until(() => sent.length === 4)
  assert.deepEqual(
    sent.slice(1).map(({ message, files }) => [message, files?.length]),
    [
      ['first words', 1],
      ['first words', 1],
      ['second words', 0],
    ],
  )
})

test('a refused message leaves alone what was typed meanwhile', async (t) => {
  const { staged, asked, refuse } = await stageRefusing()
  t.after(() => staged.app.close())
  type(staged, 'first words\r')
  await asked
  type(staged, 'second')
  refuse()
  await shows(staged, /Not sent: it has too much to do[\s\S]*▏second/)
})

test('a path without a file is told and sent as text; names of people and commands are left alone', async (t) => {
  const sent: OutgoingMessage[] = []
  const missing = new AppError('invalid_input', 'no such file', {
    cause: Object.assign(new Error(), { code: 'ENOENT' }),
  })
  const own = {
    send: (message: OutgoingMessage) => {
      sent.push(message)
      return Promise.resolve({ threadId: 'thread', turnId: 'sent', queued: false })
    },
  }
  const read: string[] = []
  const readFile = (path: string): Promise<never> => {
    read.push(path)
    return Promise.reject(missing)
  }
  const staged = await stage(80, 24, own, { readFile })
  t.after(() => staged.app.close())
  type(staged, 'ask @ada about @docs/plan.md\r')
  await shows(staged, /There is no file docs\/plan\.md: it is sent as text\./)
  await until(() => sent.length === 2)
  assert.deepEqual([sent[1]?.message, sent[1]?.files], ['ask @ada about @docs/plan.md', []])
  type(staged, '! cat @docs/other.md\r')
  await until(() => sent.length === 3)
  assert.deepEqual([sent[2]?.command, read], ['cat @docs/other.md', ['ada', 'docs/plan.md']], 'a command names its own')
})

test('words after a command that takes none stay in the composer, and the command does not run', async (t) => {
  const staged = await stage(80, 24)
  t.after(() => staged.app.close())
  type(staged, '/help me\r')
  await shows(staged, /\/help takes no words after it\. Nothing was done\.[\s\S]*▏\/help me/)
  assert.doesNotMatch(text(staged), /─ Help ─/)
  type(staged, '\u007f\u007f\u007f\r')
  await shows(staged, /─ Help ─/)
})

test('words after /new are the first message of the new thread', async (t) => {
  const sent: OutgoingMessage[] = []
  const staged = await stage(80, 24, {
    send: (message) => {
      sent.push(message)
      return Promise.resolve({ threadId: 'thread', turnId: 'sent', queued: false })
    },
  })
  t.after(() => staged.app.close())
  type(staged, '/new about plums\r')
  await until(() => sent.length === 2)
  assert.deepEqual(
    sent.map(({ message, threadId }) => [message, threadId]),
    [
      ['x', undefined],
      ['about plums', undefined],
    ],
  )
})

test('blanks alone are not sent, and an unknown command names the one that was meant', async (t) => {
  const sent: string[] = []
  const staged = await stage(80, 24, {
    send: ({ message }) => {
      sent.push(message)
      return Promise.resolve({ threadId: 'thread', turnId: 'sent', queued: false })
    },
  })
  t.after(() => staged.app.close())
  type(staged, '  \r')
  type(staged, '\u007f\u007f')
  type(staged, '/hepl\r')
  await shows(staged, /There is no command \/hepl: did you mean \/help\? Nothing was sent\./)
  type(staged, '\u007f'.repeat(5))
  type(staged, 'words\r')
  await until(() => sent.length === 2)
  assert.deepEqual(sent, ['x', 'words'])
})
