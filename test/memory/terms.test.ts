// Words as terms: what is meant to be the same is the same, in the index and in the query.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReader } from '#memory/terms.ts'

const readText = (text: string) => createReader().read(text)

const stems: readonly [words: string, stem: string][] = [
  ['connect connected connecting connection connections', 'connect'],
  ['cat cats', 'cat'],
  ['pony ponies', 'poni'],
  ['run running runs', 'run'],
  ['relate related relating relation relational relations', 'relat'],
  ['hope hoping hoped hopes', 'hope'],
  ['agreed agree agrees', 'agre'],
  ['electric electrical electricity', 'electr'],
  ['adjust adjustment adjustable adjusted', 'adjust'],
  ['migrate migrations migrating migration', 'migrat'],
  ['yes', 'ye'],
  ['sky', 'sky'],
  ['is', 'is'],
]
for (const [words, expected] of stems) {
  test(`one stem: ${words}`, () => {
    for (const word of words.split(' ')) assert.deepEqual(readText(word).body, [expected], word)
  })
}

const readings: readonly [text: string, body: string, extra: string][] = [
  ['Parsing headers', 'pars header', 'parsing headers'],
  ['parseHTTPHeaders', 'pars http header', 'parse headers parsehttpheaders'],
  ['user_id', 'user id', 'user_id'.replace('_', '')],
  ['HTTPServer2Go', 'http server2 go', 'httpserver2go'],
  ['e-mail', 'e mail', 'email'],
  ['Größe', 'gross', 'grosse groesse'],
  ['Müller', 'muller', 'mueller'],
  ['Łódź Đurđa', 'lodz durda', ''],
  ['smørbrød', 'smorbrod', ''],
  ['ırmak', 'irmak', ''],
  ['Þórður', 'thordur', ''],
  ['æon cœur', 'aeon coeur', ''],
  ['crème brûlée', 'creme brule', 'brulee'],
  ["l'homme", 'homm', 'homme lhomme'],
  ["user's", 'user', 'users'],
  ['数据库', '数据 据库', '库'],
  ['使用PostgreSQL数据库', '使用 postgr sql 数据 据库', '用 postgre postgresql 库'],
  ['ｻｰﾊﾞｰ', 'サー ーバ バー', 'ー'],
  ['字', '字', ''],
  ['naïve ＡＢＣ', 'naiv abc', 'naive'],
  ['v1.2.3', 'v1 2 3', 'v123'],
  ['1970s', '1970s', ''],
  ['?! … -- ""', '', ''],
  ['start🚀🚀now', 'start 🚀 🚀 now', ''],
  ['❤️ 👍🏽', '❤ 👍', ''],
  ['👩🏽‍💻 🇩🇪🇫🇷', '👩‍💻 🇩🇪 🇫🇷', ''],
]
for (const [text, body, extra] of readings) {
  test(`the terms of ${text}`, () => {
    const reading = readText(text)
    assert.equal(reading.body.join(' '), body)
    assert.equal(reading.extra.join(' '), extra)
  })
}

test('words of another language are found by a rough stem too, where the text is in one', () => {
  const { extra } = readText('die Rechnungen und die Häuser')
  assert(extra.includes('~rechnung') && extra.includes('~haus'), extra.join(' '))
  assert(!readText('the invoices and the houses').extra.some((term) => term.startsWith('~')))
})

test('each term knows where its word stands in the text', () => {
  const text = 'Über uns: parseURL 数据库 end'
  const { body, starts, ends } = readText(text)
  const words = body.map((_, at) => text.slice(starts[at], ends[at]))
  assert.deepEqual(words, ['Über', 'uns', 'parseURL', 'parseURL', '数据', '据库', 'end'])
})

test('a word without end is cut', () => {
  const { body, extra } = readText('x'.repeat(100_000))
  for (const term of [...body, ...extra]) assert(term.length <= 64)
})

test('a long word stays short in every spelling: PostgreSQL takes no long term', () => {
  const { body, extra } = readText(`${'ü'.repeat(2_000)} ${'\uFDFA'.repeat(64)}`)
  assert.deepEqual(
    [...body, ...extra].filter((term) => term.length > 64),
    [],
  )
})

test('a word reads the same while its reader forgets words, and when it comes again', () => {
  const reader = createReader(3)
  const text = "users' parseHTTP crossing the würfel in the rain"
  const first = reader.read(text)
  assert.deepEqual(first, createReader().read(text))
  for (let time = 0; time < 3; time++) assert.deepEqual(reader.read(text), first)
})

test('no word of a text is looked up in a map or set, which would keep it in a table of V8', (t) => {
  const lookUps = [
    t.mock.method(Set.prototype, 'has'),
    t.mock.method(Map.prototype, 'get'),
    t.mock.method(Map.prototype, 'has'),
    t.mock.method(Map.prototype, 'set'),
  ]
  readText("The user's parseHTTP crossing würfel 42 " + '数据库'.repeat(100))
  const keys = lookUps.flatMap(({ mock }) => mock.calls.map(({ arguments: [key] }) => key as unknown))
  assert.deepEqual(
    keys.filter((key) => typeof key === 'string'),
    [],
  )
})
