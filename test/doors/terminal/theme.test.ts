// Colours by meaning, the letters of a terminal without UTF-8, and the look of code in a reply.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleWidth } from '@earendil-works/pi-tui'
import { createTheme, markdownTheme, type Theme } from '#doors/terminal/theme.ts'
import { plain } from './drawn.ts'

const styles: readonly [paint: 'act' | 'sun' | 'clay' | 'dim' | 'bold' | 'chosen', code: string, end: string][] = [
  ['act', '36', '39'],
  ['sun', '33', '39'],
  ['clay', '31', '39'],
  ['dim', '2', '22'],
  ['bold', '1', '22'],
  ['chosen', '7', '27'],
]
for (const [paint, code, end] of styles) {
  test(`${paint} is the style ${code}; without colours only bold and the selection are left`, () => {
    const styled = `\u001b[${code}mx\u001b[${end}m`
    assert.equal(createTheme({ colour: true, utf8: true })[paint]('x'), styled)
    const kept = paint === 'bold' || paint === 'chosen'
    assert.equal(createTheme({ colour: false, utf8: true })[paint]('x'), kept ? styled : 'x')
  })
}

const letters = [
  ['▸▾✓▲✕●○', '>v+!x*o'],
  ['▌▏▣■─┄│·…', '||##-.|-~'],
  ['↪←→↑↓•', '\\<>^v*'],
  ['’‘“”–␉⎘█', '\'\'""->@_'],
  ['╭╮╰╯┬┴', '++++++'],
  ['⠋⠏', '**'],
  ['é日', '???'],
  ['👍🏽│👩‍👩‍👧│🇨🇭│e\u0301', '??|??|??|e'],
  ['plain ~ text', 'plain ~ text'],
] as const
for (const [given, shown] of letters) {
  test(`without UTF-8, ${given} is ${shown}`, () => {
    assert.equal(createTheme({ colour: true, utf8: false }).fit(given), shown)
    assert.equal(createTheme({ colour: true, utf8: true }).fit(given), given)
  })
}

test('the pieces of a link have one id, and two links two', () => {
  const { link } = createTheme({ colour: true, utf8: true })
  const id = (text: string, url: string): string | undefined => /id=(\w{8});/.exec(link(text, url))?.[1]
  assert.equal(id('a', 'http://x/'), id('b', 'http://x/'))
  assert.notEqual(id('a', 'http://x/'), id('a', 'http://y/'))
  assert.equal(link('a', 'http://x/').replace(/id=\w{8}/, 'id'), '\u001b]8;id;http://x/\u001b\\a\u001b]8;;\u001b\\')
})

test('code stands between rules that name its language, and long lines go on behind a sign', () => {
  const theme: Theme = createTheme({ colour: false, utf8: true })
  const look = markdownTheme(theme, 20)
  assert.equal(look.codeBlockBorder('```'), `  ${'─'.repeat(16)}`)
  assert.equal(look.codeBlockBorder('~~~ sql'), `  sql ${'─'.repeat(12)}`)
  assert.equal(look.codeBlockBorder(`\`\`\`${'x'.repeat(30)}`), `  ${'x'.repeat(30)} ──`)
  assert.deepEqual(plain(look.highlightCode?.(`short\n${'0123456789'.repeat(4)}`) ?? []), [
    'short',
    '0123456789012345',
    '↪ 67890123456789',
    '↪ 0123456789',
  ])
})

test('without colours bold and signs are left; without UTF-8 every letter is of ASCII and as wide', () => {
  const grey = createTheme({ colour: false, utf8: true })
  assert.equal(grey.act(grey.sun(grey.clay(grey.dim('x')))), 'x')
  assert.equal(grey.bold('x'), '\u001b[1mx\u001b[22m')
  const { fit } = createTheme({ colour: true, utf8: false })
  const line = '▸ ▾ ✓ ▲ ✕ ● ▌ ╭─╮ é 日本 👩‍👩‍👧 ⠹ …'
  // oxlint-disable-next-line no-control-regex -- the letters of ASCII
  assert.match(fit(line), /^[\x00-\x7f]+$/)
  assert(fit(line).startsWith('> v + ! x * | +-+ '))
  assert.equal(visibleWidth(fit('▸ ╭─╮ é 日本 ⠹ …')), visibleWidth('▸ ╭─╮ é 日本 ⠹ …'))
})
