// How well search finds: a labelled set of ours on both databases, beside a plain BM25 over the same documents.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDocuments } from '#memory/documents.ts'
import { ada } from '../store/harness.ts'
import { onBoth } from './databases.ts'

/** The floors: what search has reached, less a little. A change that falls below is a change for the worse. */
const floors = { ndcg: 0.95, recall: 0.97 }
/** How far apart the two databases may be. */
const maxApart = 0.08

type Query = { readonly text: string; readonly grades: ReadonlyMap<string, number> }
type Quality = { readonly ndcg: number; readonly recall: number }

const documents = linesOf('documents.txt').map(([path = '', text = '']) => ({ path, text }))
const queries = linesOf('queries.txt').map(([text = '', labels = '']): Query => {
  const grades = labels.split(' ').map((label) => label.split(/=(?=\d$)/))
  return { text, grades: new Map(grades.map(([path = '', grade]) => [path, Number(grade)])) }
})
const reached = new Map<string, Quality>()
/** What a plain BM25 reaches, whatever the database. */
let plain: Promise<Quality> | undefined

test('the set is large enough, and its labels name documents', () => {
  assert(documents.length >= 200 && queries.length >= 60)
  const paths = new Set(documents.map(({ path }) => path))
  assert.equal(paths.size, documents.length)
  for (const { text, grades } of queries) for (const path of grades.keys()) assert(paths.has(path), `${text}: ${path}`)
})

onBoth('quality', (open, name) => {
  test('search is at least as good as a plain BM25, and as it was', async (t) => {
    const memory = createDocuments({ store: (await open(t)).documents })
    await memory.write(
      ada,
      documents.map(({ path, text }) => ({ path, content: text, author: 'user' as const })),
    )
    const ours = await measure(async (query) =>
      (await memory.search(ada, { query, limit: 10 })).map(({ path }) => path),
    )
    const theirs = await (plain ??= measure(plainBm25()))
    t.diagnostic(`${name}: nDCG@5 ${ours.ndcg.toFixed(3)}, recall@10 ${ours.recall.toFixed(3)}`)
    t.diagnostic(`plain BM25: nDCG@5 ${theirs.ndcg.toFixed(3)}, recall@10 ${theirs.recall.toFixed(3)}`)
    for (const each of ['ndcg', 'recall'] as const) {
      assert(ours[each] >= theirs[each], `${each} ${ours[each]} is below a plain BM25's ${theirs[each]}`)
      assert(ours[each] >= floors[each], `${each} ${ours[each]} is below the floor ${floors[each]}`)
    }
    reached.set(name, ours)
  })
})

after(() => {
  const [one, two] = [...reached.values()]
  if (!one || !two) return
  assert(Math.abs(one.ndcg - two.ndcg) <= maxApart && Math.abs(one.recall - two.recall) <= maxApart)
})

async function measure(search: (query: string) => string[] | Promise<string[]>): Promise<Quality> {
  let [ndcg, recall] = [0, 0]
  for (const { text, grades } of queries) {
    const found = await search(text)
    const gain = (list: readonly number[]): number =>
      list.slice(0, 5).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0)
    const ideal = gain([...grades.values()].sort((a, b) => b - a))
    const relevant = [...grades].filter(([, grade]) => grade > 0).map(([path]) => path)
    ndcg += gain(found.map((path) => grades.get(path) ?? 0)) / ideal
    recall += relevant.filter((path) => found.slice(0, 10).includes(path)).length / relevant.length
  }
  return { ndcg: ndcg / queries.length, recall: recall / queries.length }
}

/** Words of letters and digits, lower case, over path and text; k1 = 1.2, b = 0.75. */
function plainBm25(): (query: string) => string[] {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const read = documents.map(({ path, text }) => ({ path, words: wordsOf(`${path} ${text}`) }))
  const usual = read.reduce((sum, { words }) => sum + words.length, 0) / read.length
  return (query) => {
    const asked = wordsOf(query)
    const havingOf = new Map(asked.map((word) => [word, read.filter(({ words }) => words.includes(word)).length]))
    const scores = read.map(({ path, words }) => {
      const score = asked.reduce((sum, word) => {
        const uses = words.filter((each) => each === word).length
        const having = havingOf.get(word) ?? 0
        const telling = Math.log(1 + (read.length - having + 0.5) / (having + 0.5))
        return sum + (telling * uses * 2.2) / (uses + 1.2 * (0.25 + (0.75 * words.length) / usual))
      }, 0)
      return { path, score }
    })
    const found = scores.filter(({ score }) => score > 0).sort((one, two) => two.score - one.score)
    return found.slice(0, 10).map(({ path }) => path)
  }
}

function linesOf(file: string): string[][] {
  const text = readFileSync(join(import.meta.dirname, 'labelled', file), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
}
