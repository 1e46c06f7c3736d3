// What the Markdown library of the terminal is spared: texts that take it too long or too deep.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitsMarkdown } from '#doors/terminal/markdown-fit.ts'

test('replies as models write them are Markdown', () => {
  const list = Array.from({ length: 300 }, (_, at) => `- **item_${at}**: see [this](https://x.y/a_b) and *that*`)
  const table = ['| a | b |', '|---|---|', ...Array.from({ length: 300 }, () => '| `snake_case_name` | **b** |')]
  for (const text of ['', 'A *b* **c**.', '> > a\n\n1. b\n   - c', list.join('\n'), table.join('\n')]) {
    assert(fitsMarkdown(text), text.slice(0, 40))
  }
})

test('deep quotes and lists, runs of marks and long texts are not', () => {
  const hostile = ['>'.repeat(5_000), '> '.repeat(50), '1. '.repeat(50), `${'- '.repeat(50)}a`, '[*a'.repeat(301)]
  const across = ['[*a\n'.repeat(400), '2. _a\n'.repeat(700), `${' '.repeat(101)}- a`, 'a '.repeat(50_001)]
  for (const text of [...hostile, ...across]) assert(!fitsMarkdown(text), text.slice(0, 40))
})

test('many paragraphs of many marks, and thousands of tasks, are not', () => {
  const paragraph = (marks: number): string => `${'*a '.repeat(marks)}\n\n`
  assert(fitsMarkdown(paragraph(590).repeat(4)))
  assert(!fitsMarkdown(paragraph(590).repeat(5)))
  assert(fitsMarkdown(paragraph(12).repeat(1_000)))
  assert(fitsMarkdown('- [ ] a\n'.repeat(2_000)))
  assert(!fitsMarkdown('- [x] a\n'.repeat(2_001)))
})

test('marks that are never closed are not', () => {
  const unclosed = ['a <? ', 'a <!-- ', 'a <![CDATA[ ', '<a b="', '!', '!\\[', 'a ` `` ``` ', 'www.a(', '.a@', '\\']
  for (const text of unclosed) {
    const many = text.repeat(1_000)
    assert(!fitsMarkdown(many), many.slice(0, 40))
    assert(fitsMarkdown(text.repeat(20)), text)
  }
})

test('a line that only looks like a bullet or a row does not end the paragraph', () => {
  const rows = ['|-\n', '|a|\n|-|\n# b\n', '|a|b|\n|-|\n', '|a\\||\n|-|-|\n']
  for (const text of [...rows, 'a|b\n|-|-|\n']) assert(!fitsMarkdown(text + '| <?\n'.repeat(1_000)), text)
  assert(!fitsMarkdown('||a|\n|-|\n'.repeat(1_000)))
  assert(!fitsMarkdown(`a\n${'    - <?\n'.repeat(1_000)}`))
  assert(!fitsMarkdown(`- a\n\nb\n${'    - <?\n'.repeat(1_000)}`))
  assert(fitsMarkdown('- a\n  - `b`\n    - `c`\n      - `d`\n'.repeat(300)))
  assert(fitsMarkdown(`- a\n    - b\n${'        - `c`\n'.repeat(500)}`))
})
