// Search as people meet it, on both databases: whatever they type, what they mean is found, and they see why.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { anyText } from '../any-text.ts'
import { userId } from '#core/ids.ts'
import { createDocuments, type Documents } from '#memory/documents.ts'
import { indexQueries } from '#memory/word-index.ts'
import { openTestStore } from '../agent/bench.ts'
import { ada, bob } from '../store/harness.ts'
import { onBoth } from './databases.ts'

const notes: Readonly<Record<string, string>> = {
  'work/http.md':
    '# Header parsing\nThe function parseHTTPHeaders splits at the first colon. It takes user_id from the cookie.',
  'work/db.md':
    'We migrated the database to PostgreSQL 18. Connection pooling is by hand; migrations run at the start.',
  'home/garden.md': 'Plant tomatoes after the last frost. Watering every second morning.',
  'home/pizza.md': 'Pizza dough: flour, water, yeast, salt. Let it rise overnight in the fridge.',
  '旅行/京都.md': '京都の旅行計画。金閣寺と清水寺を見学して、夜は祇園で食事をする。',
  '工作/会议.md': '今天的会议讨论了数据库连接失败的问题，决定下周升级服务器。',
  'de/rechnungen.md': 'Die Rechnungen von Herrn Müller sind noch nicht bezahlt. Größe der Lieferung: zwölf Häuser.',
  'fr/recette.md': 'La crème brûlée est prête après une heure au four. Ajoutez les œufs et le sucre.',
  'empty.md': '',
  'space.md': 'The rocket 🚀 starts on Friday. Ann said 👍🏽 and sent a ❤️.',
  'quotes.md': 'He said: to be or not to be, that is the question.',
  'socket.md': 'The WebSocket closes after an hour; the e-mail goes out by then.',
}

async function filled(documents: Documents): Promise<Documents> {
  await documents.write(
    ada,
    Object.entries(notes).map(([path, content]) => ({ path, content, author: 'user' as const })),
  )
  return documents
}

const asked: readonly [query: string, first: string | undefined][] = [
  ['parseHTTPHeaders', 'work/http.md'],
  ['parsehttpheaders', 'work/http.md'],
  ['parse_http_headers', 'work/http.md'],
  ['http headers', 'work/http.md'],
  ['user_id', 'work/http.md'],
  ['userId', 'work/http.md'],
  ['user id', 'work/http.md'],
  ['migrating databases', 'work/db.md'],
  ['migration', 'work/db.md'],
  ['postgres', 'work/db.md'],
  ['connect*', 'work/db.md'],
  ['🚀', 'space.md'],
  ['👍', 'space.md'],
  ['"❤"', 'space.md'],
  ['💩', undefined],
  ['tomato', 'home/garden.md'],
  ['tomat', 'home/garden.md'],
  ['waterin', 'home/garden.md'],
  ['garden', 'home/garden.md'],
  ['what do I need for the dough of a pizza?', 'home/pizza.md'],
  ['金閣寺', '旅行/京都.md'],
  ['旅行', '旅行/京都.md'],
  ['食事', '旅行/京都.md'],
  ['数据库', '工作/会议.md'],
  ['升级', '工作/会议.md'],
  ['服务器', '工作/会议.md'],
  ['Mueller', 'de/rechnungen.md'],
  ['muller', 'de/rechnungen.md'],
  ['MÜLLER', 'de/rechnungen.md'],
  ['Rechnung', 'de/rechnungen.md'],
  ['Lieferungen', 'de/rechnungen.md'],
  ['Haus', 'de/rechnungen.md'],
  ['groesse', 'de/rechnungen.md'],
  ['creme brulee', 'fr/recette.md'],
  ['oeufs', 'fr/recette.md'],
  ['"to be or not to be"', 'quotes.md'],
  ['to be or not', 'quotes.md'],
  ['"not to be or"', undefined],
  ['“that is the question”', 'quotes.md'],
  ['"dough flour" pizza', 'home/pizza.md'],
  ['"flour dough" pizza', undefined],
  ['web socket', 'socket.md'],
  ['email', 'socket.md'],
  ['empty', 'empty.md'],
  ['zebra crossing', undefined],
  ['', undefined],
  ['"', undefined],
  ['* - ( ) " \' : ^ { } ~', undefined],
  ['NEAR(a b) AND OR NOT', undefined],
  ['body:tomatoes OR "', 'home/garden.md'],
]

onBoth('search', (open) => {
  test('finds what is meant', async (t) => {
    const documents = await filled(createDocuments({ store: (await open(t)).documents }))
    for (const [query, first] of asked) {
      const [best] = await documents.search(ada, { query, limit: 3 })
      assert.equal(best?.path, first, `the best for ${query}`)
    }
  })

  test('shows the part that holds the match', async (t) => {
    const documents = createDocuments({ store: (await open(t)).documents })
    const filler = 'Nothing to see in this sentence. '.repeat(300)
    await documents.write(ada, [
      { path: 'long.md', content: `${filler}The key lies under the doormat.\n${filler}`, author: 'user' },
      {
        path: '長.md',
        content: `${'これは長い文章です。'.repeat(300)}鍵は玄関の下にある。${'これは長い文章です。'.repeat(300)}`,
        author: 'user',
      },
      { path: 'path-only.md', content: 'The beginning. '.repeat(100), author: 'user' },
    ])
    for (const [query, part] of [
      ['doormat key', /key lies under the doormat/],
      ['玄関', /鍵は玄関の下/],
      ['path only', /^The beginning/],
    ] as const) {
      const [best] = await documents.search(ada, { query, limit: 1 })
      assert.match(best?.content ?? '', part)
      assert((best?.content.length ?? 0) < 450)
    }
  })

  test('a write is found at once, a change under its new words alone, and by its owner alone', async (t) => {
    const documents = createDocuments({ store: (await open(t)).documents })
    const paths = async (user: typeof ada, query: string) =>
      (await documents.search(user, { query, limit: 9 })).map(({ path }) => path)
    await documents.write(ada, [{ path: 'a', content: 'walrus', author: 'user' }])
    assert.deepEqual(await paths(ada, 'walrus'), ['a'])
    await documents.edit(ada, { path: 'a', find: 'walrus', replace: 'narwhal', author: 'user' })
    assert.deepEqual([await paths(ada, 'walrus'), await paths(ada, 'narwhals')], [[], ['a']])
    assert.deepEqual([await paths(bob, 'narwhal'), await paths(userId('webhook:ada'), 'narwhal')], [[], []])
    await documents.remove(ada, 'a')
    assert.deepEqual(await paths(ada, 'narwhal'), [])
  })

  test('more of the words is better, and a document with words in several parts counts them all', async (t) => {
    const documents = createDocuments({ store: (await open(t)).documents })
    const far = 'Filler of no matter. '.repeat(150)
    await documents.write(ada, [
      { path: 'one', content: `offsite offsite ${far} ${far}`, author: 'user' },
      { path: 'both', content: 'the offsite budget', author: 'user' },
      { path: 'apart', content: `budget ${far} offsite ${far}`, author: 'user' },
      ...Array.from({ length: 9 }, (_, at) => ({ path: `x${at}`, content: 'something else', author: 'user' as const })),
    ])
    const found = await documents.search(ada, { query: 'offsite budget', limit: 5 })
    assert.deepEqual(
      found.map(({ path }) => path),
      ['both', 'apart', 'one'],
    )
    assert(found.every(({ score }, at) => at === 0 || score <= (found[at - 1]?.score ?? 0)))
  })

  test('as many are found as are wanted and there are', async (t) => {
    const documents = createDocuments({ store: (await open(t)).documents })
    const many = Array.from({ length: 90 }, (_, at) => ({ path: `${at}`, content: 'walrus', author: 'user' as const }))
    await documents.write(ada, many)
    for (const limit of [1, 40, 100]) {
      assert.equal((await documents.search(ada, { query: 'walrus', limit })).length, Math.min(limit, 90))
    }
  })

  test('any text at all is a query', async (t) => {
    const documents = await filled(createDocuments({ store: (await open(t)).documents }))
    const odd = fc.constantFrom(
      '"',
      "'",
      '*',
      ':',
      '(',
      ')',
      '-',
      '\\',
      '~',
      '^',
      '\0',
      '\ud800',
      '😀',
      '%',
      '_',
      '&',
      '|',
      '!',
      '<->',
      ' ',
      'AND',
      'tomato',
      '数据',
      'é',
    )
    const text = fc.oneof(
      anyText(),
      fc.array(odd).map((parts) => parts.join('')),
      fc.string({ minLength: 900, maxLength: 3_000 }),
    )
    await fc.assert(
      fc.asyncProperty(text, async (query) => {
        const found = await documents.search(ada, { query, limit: 5 })
        assert(found.length <= 5)
      }),
      { numRuns: 150 },
    )
  })
})

test('a query with a phrase is not searched by meaning, any other is', async (t) => {
  const store = openTestStore(t)
  const asked: string[] = []
  const semanticSearch = (_: unknown, query: string) => Promise.resolve(asked.push(query)).then(() => [])
  const documents = createDocuments({ store: store.documents, semanticSearch })
  for (const query of ['"big sky" blue', '"big sky"', 'blue']) await documents.search(ada, { query, limit: 1 })
  assert.deepEqual(asked, ['blue'])
})

test('what is too much to order is narrowed: rare words first, then words together', () => {
  const counted = (counts: readonly number[], required?: true) =>
    counts.map((count, at) => ({
      term: { variants: [], weight: 1, ...(required && { required }) },
      match: { term: `t${at}` },
      count,
    }))
  const [a, b, c] = ['t0', 't1', 't2'].map((term) => ({ term }))
  assert.deepEqual(indexQueries(counted([10, 20]), 100_000), [{ any: [a, b] }])
  assert.deepEqual(indexQueries(counted([2_000, 2_400]), 2_500), [{ any: [a, b] }])
  assert.deepEqual(indexQueries(counted([9_000]), 100_000), [a])
  assert.deepEqual(indexQueries(counted([9_000, 100]), 100_000), [{ any: [b] }, a])
  assert.deepEqual(indexQueries(counted([9_000, 8_000, 7_000]), 100_000), [
    { all: [c, b, a] },
    { all: [c, { any: [b, a] }] },
    c,
  ])
  assert.deepEqual(indexQueries(counted([9_000, 100], true), 100_000), [{ all: [a, b] }])
  assert.deepEqual(indexQueries([], 9), [])
})
