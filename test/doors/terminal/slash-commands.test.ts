// Slash commands without a terminal: what they ask of the service, and what they tell.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { createDrawing } from '#doors/terminal/drawing.ts'
import { createSlashCommands, type SlashCommandParts } from '#doors/terminal/slash-commands.ts'
import type { List } from '#doors/terminal/list.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { clientOf } from './fake.ts'

function commandsWith(own: Partial<SlashCommandParts>) {
  const told: string[] = []
  const nothing = (): undefined => undefined
  const run = createSlashCommands({
    client: clientOf({}),
    theme: createTheme({ colour: false, utf8: true }),
    now: () => 0,
    chooseModel: () => Promise.resolve(''),
    threadModel: nothing,
    chooseThreadModel: () => Promise.resolve(),
    show: nothing,
    tell: (words) => void told.push(words),
    openThread: nothing,
    openGate: nothing,
    threadId: nothing,
    lastTurn: nothing,
    attach: () => Promise.resolve(),
    attached: () => [],
    detach: nothing,
    queued: () => [],
    editQueued: nothing,
    attempt: nothing,
    quit: nothing,
    ...own,
  })
  return { run, told }
}

test('/missions says where older ones are that are done', async () => {
  for (const [cursor, says] of [
    ['1', true],
    [null, false],
  ] as const) {
    const shown: string[] = []
    const { run } = commandsWith({
      client: clientOf({ missions: () => Promise.resolve({ missions: [], next_cursor: cursor }) }),
      show: (list) => void shown.push(...list.render({ width: 60, height: 20 })),
    })
    await run('/missions', '')
    assert.equal(/Older ones that are done: \S*atrium mission list/.test(shown.join('\n')), says)
  }
})

test('/skills lists each skill with its description, on or off, and what nobody has looked at', async () => {
  const skills = [
    { name: 'pdf', description: 'Fills in\nforms.', enabled: true, untrusted: false },
    { name: 'tea', description: '\u001b[2JMakes tea.', enabled: false, untrusted: true },
  ]
  const shown: string[] = []
  const { run } = commandsWith({
    client: clientOf({ skills: () => Promise.resolve(skills) }),
    show: (list) => void shown.push(...list.render({ width: 60, height: 20 })),
  })
  await run('/skills', '')
  assert.ok(!shown.join('').includes('\u001b[2J'))
  const words = stripVTControlCharacters(shown.join('\n'))
  assert.match(words, /\/pdf {2}on\b[^,]*\n.*Fills in forms\./)
  assert.match(words, /\/tea {2}off, untrusted\b.*\n.*Makes tea\./)
})

test('/receipt asks for the turn that is named, else for the last one, if there is one', async () => {
  const asked: string[] = []
  const client = clientOf({ receipt: (turnId) => Promise.resolve(void asked.push(turnId)) })
  const { run, told } = commandsWith({ client, lastTurn: () => 'last' })
  await run('/receipt', 'one\u202e')
  await run('/receipt', '')
  assert.deepEqual(asked, ['one\u202e', 'last'])
  assert.deepEqual(told, ['No turn has the id one\\u{202e}.', 'No turn has the id last.'])
  const fresh = commandsWith({ client })
  await fresh.run('/receipt', '')
  assert.deepEqual([asked.length, fresh.told], [2, ['There is no turn yet that could have a receipt.']])
})

const choices: readonly [typed: string, provider: string, name: string | undefined, force: boolean][] = [
  ['ollama', 'ollama', undefined, false],
  ['ollama qwen3', 'ollama', 'qwen3', false],
  ['openai/a/b', 'openai', 'a/b', false],
  ['ollama qwen3 --force', 'ollama', 'qwen3', true],
  ['ollama --force', 'ollama', undefined, true],
]
for (const [typed, ...expected] of choices) {
  test(`/model ${typed}`, async () => {
    const chosen: unknown[] = []
    const { run, told } = commandsWith({
      chooseModel(provider, name, { force }) {
        chosen.push(provider, name, force)
        return Promise.resolve('it answers from now on.')
      },
    })
    await run('/model', typed)
    assert.deepEqual(chosen, expected)
    assert.deepEqual(told, [`Trying ${typed} …`, 'it answers from now on.'])
  })
}

test('/queue lists the queued messages: Enter changes one, Delete removes one', async () => {
  const message = { type: 'you', id: 'queued t', turnId: 't', text: 'Then\nthis', files: [], queued: true } as const
  const [changed, removed]: [unknown[], string[]] = [[], []]
  for (const key of ['\r', '\u001b[3~']) {
    let list: List | undefined
    const { run } = commandsWith({
      client: clientOf({ removeQueued: (id) => Promise.resolve(void removed.push(id)) }),
      queued: () => [message],
      editQueued: (each) => void changed.push(each),
      show: (shown) => (list = shown),
    })
    await run('/queue', '')
    const words = stripVTControlCharacters(list?.render({ width: 60, height: 20 }).join('\n') ?? '')
    assert.match(words, /Then this[\s\S]*Enter changes it {2}Del removes/)
    assert.equal(list?.press(key), key === '\r' ? 'close' : undefined)
  }
  assert.deepEqual([changed, removed], [[message], ['t']])
})

test('/stop stops the turn and the queue of the open thread, and says how many messages went', async () => {
  const stopped: string[] = []
  const client = clientOf({
    stopAll: (id) => Promise.resolve({ removed: stopped.push(id), stopped: true }),
  })
  const { run, told } = commandsWith({ client, threadId: () => 'thread' })
  await run('/stop', '')
  assert.deepEqual(stopped, ['thread'])
  assert.match(told[0] ?? '', /^Stopped, and 1 queued message removed\./)
  const none = commandsWith({})
  await none.run('/stop', '')
  assert.deepEqual(none.told, ['Nothing runs here.'])
})

for (const stopped of [true, false]) {
  test(`/stop without a queue says whether ${stopped ? 'a turn was stopped' : 'there was none to stop'}`, async () => {
    const client = clientOf({ stopAll: () => Promise.resolve({ removed: 0, stopped }) })
    const { run, told } = commandsWith({ client, threadId: () => 'thread' })
    await run('/stop', '')
    assert.deepEqual(told, [stopped ? 'Stopped.' : 'Nothing runs here.'])
  })
}

test('commands in a box and in the line of a failed turn are written for this shell', async () => {
  const theme = createTheme({ colour: false, utf8: true, commands: (text) => text.replace('atrium ', 'bin/atrium ') })
  let list: List | undefined
  const { run } = commandsWith({ theme, show: (shown) => (list = shown) })
  for (const [name, words] of [
    ['/skills', /bin\/atrium skill add FOLDER/],
    ['/model', /bin\/atrium model list/],
  ] as const) {
    await run(name, '')
    assert.match(stripVTControlCharacters(list?.render({ width: 70, height: 20 }).join('\n') ?? ''), words)
  }
  const note = { type: 'note', id: 'n', text: 'run `atrium secret set X`', failed: true } as const
  const drawing = createDrawing(
    theme,
    () => '*',
    () => 0,
  )
  assert.deepEqual(drawing.lines(note, undefined, 60), [' ▲ run `bin/atrium secret set X`'])
})

const offered = [
  { id: 'offline/offline', name: 'offline', role: 'usual', inputUsd: 0, outputUsd: 0 },
  { id: 'ollama/qwen3', name: 'qwen3', role: 'fallback', inputUsd: 0, outputUsd: 0 },
  { id: 'openai/gpt', name: 'gpt', role: 'offered', inputUsd: 2.5, outputUsd: 10 },
] as const

test('/model lists the models for the thread with their prices, and chooses one by Enter or by name', async () => {
  const chosen: (string | null)[] = []
  let list: List | undefined
  const { run, told } = commandsWith({
    client: clientOf({ models: () => Promise.resolve(offered) }),
    threadModel: () => 'openai/gpt',
    chooseThreadModel: (model) => Promise.resolve(void chosen.push(model)),
    show: (shown) => (list = shown),
  })
  await run('/model', '')
  const words = stripVTControlCharacters(list?.render({ width: 90, height: 20 }).join('\n') ?? '')
  assert.match(words, /Model for this thread/)
  assert.match(words, / {2}offline\/offline {2}the usual one, free/)
  assert.match(words, /▌ openai\/gpt {2}\$2\.50 in, \$10\.00 out per million tokens/)
  list?.press('\r')
  for (const name of ['gpt', 'ollama/qwen3']) await run('/model', name)
  assert.deepEqual(chosen, [null, 'openai/gpt', 'ollama/qwen3'])
  assert.equal(told.at(-1), 'This thread uses ollama/qwen3 from the next message on.')
})
