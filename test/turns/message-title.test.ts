import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textMessage } from '#core/item.ts'
import { titleOf } from '#turns/message.ts'

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
