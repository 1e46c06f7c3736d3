// What is offered while somebody types, what `@path` attaches, and that Ctrl+C quits.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { stripTerminalSequences } from '@earendil-works/pi-tui'
import { AppError } from '#core/errors.ts'
import { textMessage } from '#core/item.ts'
import type { Attached } from '#doors/terminal/attachment-list.ts'
import { mentionedPaths, withMentioned } from '#doors/terminal/mentioned-files.ts'
import { slashOffers, typedPath } from '#doors/terminal/offers.ts'
import type { AppParts } from '#doors/terminal/terminal-app.ts'
import type { OutgoingMessage } from '#turns/operator-client.ts'
import { until } from '../../turns/house.ts'
import { entry, stage, type Staged, turn } from './fake.ts'

const [tab, enter, up, down, escape, ctrlC] = ['\t', '\r', '\u001b[A', '\u001b[B', '\u001b', '\u0003']

function screen({ app }: Staged): string {
  return stripTerminalSequences(app.render(80).join('\n'))
}
const shows = (staged: Staged, what: RegExp): Promise<void> => until(() => what.test(screen(staged)))
function type({ app }: Staged, text: string): void {
  for (const letter of text) app.press(letter)
}
function clear(staged: Staged): void {
  staged.app.press('\u0015')
}

type Own = Parameters<typeof stage>[2]

async function staged(t: TestContext, own: Own = {}, parts: Partial<AppParts> = {}): Promise<Staged> {
  const made = await stage(80, 24, own, parts)
  t.after(() => made.app.close())
  return made
}

const file = (name: string): Attached => ({ name, size: 3, part: { type: 'file', name, text: 'abc' } })

function missing(path: string): Promise<never> {
  const cause = Object.assign(new Error(path), { code: 'ENOENT' })
  return Promise.reject(new AppError('invalid_input', `${path} does not exist`, { cause }))
}

for (const [text, labels] of [
  ['/st', ['/stop', '/standup']],
  ['/stop', ['/stop']],
  ['/mem', ['/memory']],
  ['/nothing', []],
  ['/stop now', []],
  ['/etc/hosts', []],
  ['stop', []],
] as const) {
  test(`${text} offers ${labels.join(', ') || 'nothing'}`, () => {
    const offers = slashOffers(text, ['standup'])
    assert.deepEqual(
      offers.map(({ label }) => label),
      labels,
    )
    for (const { label, about, rest } of offers) assert.deepEqual([text + rest, about !== ''], [`${label} `, true])
  })
}

test('a lone slash offers every command with a word on each', () => {
  const offers = slashOffers('/', [])
  assert(offers.length >= 16)
  assert(offers.every(({ about }) => about.length > 3))
})

for (const [before, path] of [
  ['look at @src/ma', 'src/ma'],
  ['@', ''],
  ['@my\\ no', 'my\\ no'],
  ['mail me@example.com', undefined],
  ['@notes.txt ', undefined],
] as const) {
  test(`the path typed in "${before}" is ${path === undefined ? 'none' : `"${path}"`}`, () => {
    assert.equal(typedPath(before), path)
  })
}

test('files that a message names go with it; people and places that are no files stay words', async () => {
  assert.deepEqual(mentionedPaths('see @a.txt and @my\\ notes.md, not me@b.org, again @a.txt'), [
    'a.txt',
    'my\\ notes.md,',
  ])
  const known = new Set(['a.txt', 'b.md'])
  const read = (path: string): Promise<Attached> => (known.has(path) ? Promise.resolve(file(path)) : missing(path))
  const { files, missing: none } = await withMentioned('@a.txt, (@b.md) @b.md. @ada', [file('given')], read)
  assert.deepEqual([files.map(({ name }) => name), none], [['given', 'a.txt', 'b.md'], ['ada']])
})

test('a file that cannot be sent keeps the message back', async () => {
  const refused = (): Promise<never> => Promise.reject(new AppError('too_large', 'a.bin has too many bytes'))
  await assert.rejects(withMentioned('@a.bin', [], refused), /too many bytes/)
})

test('typing a slash offers commands; Tab completes the chosen one, Esc hides them', async (t) => {
  const made = await staged(t)
  type(made, '/')
  await shows(made, /\/threads +lists your threads *\n[\s\S]*Tab completes/)
  type(made, 're')
  await shows(made, /\/receipt +what the latest turn did and cost/)
  made.app.press(tab)
  await shows(made, /▏\/receipt /)
  assert.doesNotMatch(screen(made), /Tab completes/)
  clear(made)
  type(made, '/s')
  made.app.press(down)
  made.app.press(tab)
  await shows(made, /▏\/stop /)
  clear(made)
  type(made, '/s')
  made.app.press(escape)
  assert.doesNotMatch(screen(made), /Tab completes/)
  type(made, 't')
  await shows(made, /Tab completes/)
})

test('Enter runs the command that its first letters offer; a mistyped one is asked about', async (t) => {
  const made = await staged(t)
  type(made, '/hel')
  made.app.press(enter)
  await shows(made, /─ Help ─/)
  made.app.press(escape)
  type(made, '/s')
  made.app.press(down)
  made.app.press(up)
  made.app.press(enter)
  await shows(made, /─ Skills ─/)
  made.app.press(escape)
  type(made, '/treads')
  made.app.press(enter)
  await shows(made, /There is no command \/treads: did you mean \/threads\? Nothing was sent\.[\s\S]*▏\/treads/)
})

test('behind an @ the names of files are offered, and the file goes with the message', async (t) => {
  const sent: OutgoingMessage[] = []
  const asked: string[] = []
  const made = await staged(
    t,
    {
      send(message) {
        sent.push(message)
        return Promise.resolve({ threadId: 'thread', turnId: 'sent', queued: false })
      },
    },
    {
      listPaths(written) {
        asked.push(written)
        const all = [
          { name: 'src/', rest: 'rc/', folder: true },
          { name: 'some file.txt', rest: 'ome\\ file.txt ', folder: false },
        ]
        return Promise.resolve(written === 's' ? all : [])
      },
    },
  )
  type(made, 'read @s')
  await shows(made, /src\/ +folder *\n +some file\.txt/)
  made.app.press(down)
  made.app.press(enter)
  await shows(made, /▏read @some\\ file\.txt/)
  made.app.press(enter)
  await until(() => sent.length === 2)
  assert.equal(sent[1]?.message, 'read @some\\ file.txt ')
  assert.deepEqual(sent[1]?.files, [{ type: 'file', name: 'some\\ file.txt', text: 'abc' }])
  assert(asked.includes('') && asked.includes('s'), 'it looked as it was typed')
})

test('a path without a file is sent as text, and told', async (t) => {
  const made = await staged(t, {}, { readFile: missing })
  type(made, 'see @no/where')
  made.app.press(enter)
  await shows(made, /There is no file no\/where: it is sent as text\./)
})

test('behind an exclamation mark stands a command for the shell', async (t) => {
  const sent: OutgoingMessage[] = []
  const made = await staged(t, {
    send(message) {
      sent.push(message)
      return Promise.resolve({ threadId: 'thread', turnId: 'sent', queued: false })
    },
  })
  for (const text of ['!ls -la', ' !not a command', '!']) {
    type(made, text)
    made.app.press(enter)
  }
  await until(() => sent.length === 4)
  assert.deepEqual(
    sent.slice(1).map(({ message, command }) => [message, command]),
    [
      ['!ls -la', 'ls -la'],
      [' !not a command', undefined],
      ['!', undefined],
    ],
  )
})

test('Ctrl+C quits at once, with a draft and with a running turn, which goes on', async (t) => {
  let quits = 0
  const made = await staged(t, { cancel: () => assert.fail('stopped') }, { quit: () => void quits++ })
  made.tell([
    { type: 'entries', entries: [entry(1, textMessage('user', 'go'), 't')] },
    { type: 'turn', turn: turn('t', 'running') },
    { type: 'delta', turnId: 't', itemId: 'i', offset: 0, text: 'Some words' },
  ])
  await shows(made, /Some words/)
  type(made, 'a draft')
  made.app.press(ctrlC)
  assert.equal(quits, 1)
})

test('/login shows a fresh link; without a page it says so', async (t) => {
  let made = 0
  const app = await staged(t, { login: (known) => Promise.resolve(known ?? `http://127.0.0.1:1/login#code=${++made}`) })
  const before = made
  type(app, '/login')
  app.app.press(enter)
  await shows(app, new RegExp(`─ Sign in ─[\\s\\S]*code=${before + 1}\\b`))
  const none = await staged(t)
  type(none, '/login')
  none.app.press(enter)
  await shows(none, /This service has no page/)
})

test('a message closes the box that a command opened: its reply is in sight', async (t) => {
  const staging = await staged(t)
  type(staging, '/tools')
  staging.app.press(enter)
  await shows(staging, /─ Tools ─/)
  type(staging, 'go on')
  assert.match(screen(staging), /─ Tools ─/, 'typing alone leaves it open')
  staging.app.press(enter)
  assert.doesNotMatch(screen(staging), /─ Tools ─/)
})
