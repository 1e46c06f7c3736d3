// Slash commands without a terminal: what they ask of the service, and what they tell.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { createSlashCommands, type SlashCommandParts } from '#doors/terminal/slash-commands.ts'
import { createTheme } from '#doors/terminal/theme.ts'
import { clientOf } from './fake.ts'

function commandsWith(own: Partial<SlashCommandParts>) {
  const told: string[] = []
  const nothing = (): undefined => undefined
  const commands = createSlashCommands({
    client: clientOf({}),
    theme: createTheme({ colour: false, utf8: true }),
    now: () => 0,
    chooseModel: () => Promise.resolve(''),
    show: nothing,
    tell: (words) => void told.push(words),
    openThread: nothing,
    openGate: nothing,
    threadId: nothing,
    lastTurn: nothing,
    attach: () => Promise.resolve(),
    attached: () => [],
    detach: nothing,
    quit: nothing,
    ...own,
  })
  return { commands, told }
}

test('/skills lists each skill with its description, on or off, and what nobody has looked at', async () => {
  const skills = [
    { name: 'pdf', description: 'Fills in\nforms.', enabled: true, untrusted: false },
    { name: 'tea', description: '\u001b[2JMakes tea.', enabled: false, untrusted: true },
  ]
  const shown: string[] = []
  const { commands } = commandsWith({
    client: clientOf({ skills: () => Promise.resolve(skills) }),
    show: (list) => void shown.push(...list.render({ width: 60, height: 20 })),
  })
  await commands.run('/skills', '')
  assert.ok(!shown.join('').includes('\u001b[2J'))
  const words = stripVTControlCharacters(shown.join('\n'))
  assert.match(words, /\/pdf {2}on\b[^,]*\n.*Fills in forms\./)
  assert.match(words, /\/tea {2}off, untrusted\b.*\n.*Makes tea\./)
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
    const { commands, told } = commandsWith({
      chooseModel(provider, name, { force }) {
        chosen.push(provider, name, force)
        return Promise.resolve('it answers from now on.')
      },
    })
    await commands.run('/model', typed)
    assert.deepEqual(chosen, expected)
    assert.deepEqual(told, [`Trying ${typed} …`, 'it answers from now on.'])
  })
}
