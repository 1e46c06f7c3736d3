// What draws into a page, in a document without a browser: copied text, coloured code, formulas, parts loaded later. Keys.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { parseHTML } from 'linkedom'
import { type ComponentType, h, options, render } from 'preact'
import { transformSync } from 'rolldown/utils'

// The page is built with its style sheets; a formula needs none to be drawn. Node reads no JSX.
registerHooks({
  load(url, context, next) {
    if (url.endsWith('.css')) return { format: 'module', source: '', shortCircuit: true }
    if (!url.endsWith('.tsx')) return next(url, context)
    const jsx = { runtime: 'automatic', importSource: 'preact' } as const
    const { code } = transformSync(url, readFileSync(new URL(url), 'utf8'), { lang: 'tsx', jsx })
    return { format: 'module', source: code, shortCircuit: true }
  },
})
const { document, HTMLElement } = parseHTML('<!doctype html><html><body><input></body></html>')
Object.assign(document, { compatMode: 'CSS1Compat' })
Object.assign(globalThis, { document, HTMLElement })
const { copyText } = await import('../../../web/lib/copy.ts')
const { highlight } = await import('../../../web/lib/highlight.ts')
const { newKey } = await import('../../../web/lib/key.ts')
const { typeset } = await import('../../../web/lib/math.ts')
const { lazy } = await import('../../../web/lazy.tsx')

const setClipboard = (value: unknown): unknown =>
  Object.defineProperty(globalThis, 'navigator', { value: { clipboard: value }, configurable: true })

test('text goes to the clipboard of the browser', async () => {
  const written: string[] = []
  setClipboard({ writeText: (text: string) => Promise.resolve(void written.push(text)) })
  await copyText('words')
  assert.deepEqual(written, ['words'])
})

test('without a clipboard the text is selected and copied, and the focus goes back', async () => {
  setClipboard(undefined)
  const field = document.querySelector('input') ?? assert.fail()
  const acts: string[] = []
  field.focus = () => void acts.push('focus')
  let works = true
  Object.assign(document, {
    activeElement: field,
    execCommand(command: string) {
      const area = document.querySelector('textarea.unseen')
      acts.push(`${command} ${area instanceof HTMLElement && (area as HTMLTextAreaElement).value}`)
      return works
    },
  })
  Object.assign(HTMLElement.prototype, { select: () => void acts.push('select') })
  await copyText('words')
  assert.deepEqual(acts, ['select', 'copy words', 'focus'])
  assert.equal(document.querySelector('textarea'), null)
  works = false
  await assert.rejects(copyText('words'), /refused to copy/)
  Object.assign(document, { activeElement: null })
  await assert.rejects(copyText('words'), /refused to copy/)
})

const code = (scope: string, ...pieces: readonly unknown[]) => ({ scope, pieces })

test('code has its colours by kind, and all of its text', () => {
  assert.deepEqual(highlight('SELECT 1;', 'sql'), [code('keyword', 'SELECT'), ' ', code('number', '1'), ';'])
  const template = code('string', '`b ', code('subst', '${c}'), '`')
  assert.deepEqual(highlight('const a = `b ${c}`', 'js'), [code('keyword', 'const'), ' a ', '= ', template])
  const [, , name] = highlight('def f(): pass', 'python') ?? []
  assert.deepEqual(name, code('title', 'f'), 'of a kind with dots the first word')
  assert(highlight('a < b && "', 'json'), 'what is not of the language is shown')
})

const known = 'bash c cpp csharp css diff dockerfile go ini java javascript json kotlin markdown'
const more = 'php python ruby rust sql swift typescript xml yaml'
for (const language of `${known} ${more}`.split(' ')) {
  test(`${language} is known`, () => assert(highlight('x', language)))
}

test('code that is too long, or of an unknown language, stays as it is', () => {
  assert.equal(highlight('x', 'klingon'), undefined)
  const lines = (count: number) => '1234\n'.repeat(count)
  assert(highlight(lines(6_000), 'json'))
  assert.equal(highlight(lines(6_000) + '1', 'json'), undefined)
})

function formula(tex: string, display = false): Element {
  const place = document.createElement('div')
  typeset(tex, place, display)
  return place
}

test('a formula is drawn, in its line or by itself; a faulty one shows its source', () => {
  assert(formula('x^2').querySelector('.katex'))
  assert.equal(formula('x^2').querySelector('.katex-display'), null)
  assert(formula('x^2', true).querySelector('.katex-display'))
  assert.match(formula('\\frac{1').textContent ?? '', /\\frac\{1/)
})

test('a formula neither links nor grows without bounds', () => {
  assert.equal(formula('\\href{https://x.example}{y}').querySelector('a'), null)
  assert.match(formula('\\rule{500em}{500em}').innerHTML, /20em/)
  assert(formula(`\\def\\a{x}${'\\a'.repeat(150)}`).querySelector('.katex'))
  const loop = formula(`\\def\\a{x}${'\\a'.repeat(250)}`)
  assert(loop.querySelector('.katex-error'), 'it is expanded two hundred times')
})

test('keys are long and never the same', () => {
  const keys = new Set(Array.from({ length: 100 }, newKey))
  assert.equal(keys.size, 100)
  for (const key of keys) assert.match(key, /^[0-9a-z]+(-[0-9a-z]+){3}$/)
})

test('a part that has come between a drawing and its effect is drawn', async (t) => {
  const effects: (() => void)[] = []
  options.requestAnimationFrame = (effect) => void effects.push(effect)
  t.after(() => delete options.requestAnimationFrame)
  const runEffects = async (): Promise<void> => {
    for (const effect of effects.splice(0)) effect()
    await setImmediate()
  }
  const come = Promise.withResolvers<ComponentType>()
  const Part = lazy(() => come.promise, { small: true })
  const [first, second] = [document.createElement('p'), document.createElement('p')]
  render(h(Part, null), first)
  await runEffects()
  render(h(Part, null), second)
  assert.equal(second.textContent, '')
  come.resolve(() => h('b', null, 'here'))
  await setImmediate()
  await runEffects()
  assert.deepEqual([first.textContent, second.textContent], ['here', 'here'])
})
