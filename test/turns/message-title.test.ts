// Titles of threads, and the lines of a list of turns: the first line that the user wrote.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textMessage } from '#core/item.ts'
import { openingLine, titleOf } from '#turns/message.ts'
import { withPlainTitle } from '#turns/plain-title.ts'
import { ada } from '../store/harness.ts'
import { eventsOf, message, openHouse } from './house.ts'

const titled = (...texts: string[]) => titleOf(texts.map((text) => textMessage('user', text)))

test('a title is the first line that the user wrote, without the blocks of an app before it', () => {
  const context = '<environment_context>\n  <cwd>/src</cwd>\n</environment_context>'
  for (const [texts, title] of [
    [['Fix the build\nplease'], 'Fix the build'],
    [[context, 'Fix the build'], 'Fix the build'],
    [[`<instructions>\nBe kind\n</instructions>\n\n${context}\n\nFix the build`], 'Fix the build'],
    [['<rules lang="en">a</rules>Fix it'], 'Fix it'],
    [['<b> is not closed'], '<b> is not closed'],
    [[context], '<environment_context>'],
    [[''], 'New thread'],
    [[' '.repeat(200_000), 'Fix it'], 'Fix it'],
  ] as const) {
    assert.equal(titled(...texts), title)
  }
})

test('a title is looked for in the beginning of a long input only', () => {
  const blanks = ' '.repeat(300_000)
  assert.equal(titled(`${blanks}Fix it`), 'New thread')
  assert.equal(titled(blanks, 'Fix it'), 'New thread')
})

const openings: readonly [opening: string, line: string | undefined][] = [
  ['  Fix the build\nand the tests', 'Fix the build'],
  ['x'.repeat(500), 'x'.repeat(200)],
  ['tab\there\u0007', 'tab here'],
  ['<environment_context>\ncwd\n</environment_context>\nFix it', 'Fix it'],
  ['<instructions>\nso many that the block does not end', undefined],
  ['<b> is a tag', '<b> is a tag'],
  [' \n ', undefined],
]
test('a list of turns shows the first line that the user wrote, up to 200 characters', () => {
  for (const [opening, line] of openings) assert.equal(openingLine(opening), line, opening)
})

test('a fork in place of the first message says which title that one gives', async () => {
  const entry = { seq: 1, id: 'i', turnId: 't', at: 0, item: textMessage('user', 'Plans\nfor May') } as const
  const threads = { entries: () => Promise.resolve({ entries: [entry], more: false }) }
  const first = { threadId: 't', beforeSeq: 1, variant: true } as const
  assert.deepEqual(await withPlainTitle(threads, ada, first), { ...first, plainTitle: 'Plans' })
  for (const forks of [
    { threadId: 't', beforeSeq: 1 },
    { ...first, beforeSeq: 3 },
  ])
    assert.equal(await withPlainTitle(threads, ada, forks), forks)
})

const titles: readonly [text: string, title: string][] = [
  ['  first line \nsecond', 'first line'],
  ['<instructions>\nbe brief\n</instructions>\n<user-context>{}</user-context>\nreal words', 'real words'],
  ['bell\u0007 and \u001b[31mred', 'bell  and  [31mred'],
  ['💡'.repeat(100), '💡'.repeat(80)],
  ['<instructions>only</instructions>', 'New thread'],
]
for (const [text, title] of titles) {
  test(`a thread is listed as ${JSON.stringify(title.slice(0, 20))}`, async (t) => {
    const { turns, threads } = openHouse(t)
    const { turn, events } = await turns.start(message(text))
    await eventsOf(events)
    assert.equal((await threads.get(ada, turn.threadId))?.title, title)
  })
}
