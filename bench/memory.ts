// Memory at scale, on both databases beside a bare FTS5 table: import rate, search time, the time from a write until a
// search finds it, and the size of the database.
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { userId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { createSeal } from '#lib/seal.ts'
import { createDocuments, type Documents } from '#memory/documents.ts'
import { openPostgresStore, openStore } from '#store/open-store.ts'
import { percentile } from './compare.ts'
import type { Suite } from './suite.ts'

const searches = 200
const writes = 50
const batch = 200
const documentBytes = 2_048
const user = userId('bench')
/** Another user with a few documents in the same database. */
const neighbour = userId('neighbour')

export const memory: Suite = async ({ children, scale: { documents: count } }) => {
  const { origin } = await children.startTidy(import.meta.resolve('./postgres-server.ts'), 'memory')
  const seal = createSeal('0'.repeat(64))
  const path = `${children.folder()}/memory.db`
  const floorPath = `${children.folder()}/fts5.db`
  const floor = await measureFloor(floorPath, count)
  const sqlite = await measure(openStore({ path, seal }), count)
  const postgres = await measure((await openPostgresStore({ url: `${origin}/memory`, seal })).store, count)
  const columns = [
    'database',
    'import /s',
    'search p50 ms',
    'to bare FTS5',
    'p95 ms',
    'p99 ms',
    'neighbour p50 ms',
    'write to found p50 ms',
    'bytes per byte of text',
  ]
  const p50 = (times: readonly number[] | undefined): string => (times ? percentile(times, 50).toFixed(1) : '-')
  const row = (name: string, { importRate, searchMs, neighbourMs, foundMs }: Measured, file?: string): string[] => [
    name,
    Math.round(importRate).toLocaleString('en'),
    p50(searchMs),
    `${(percentile(searchMs, 50) / percentile(floor.searchMs, 50)).toFixed(2)} x`,
    percentile(searchMs, 95).toFixed(1),
    percentile(searchMs, 99).toFixed(1),
    p50(neighbourMs),
    p50(foundMs),
    file === undefined ? '-' : (statSync(file).size / (count * documentBytes)).toFixed(2),
  ]
  return [
    {
      title: `Memory, ${count.toLocaleString('en')} documents of 2 KB`,
      columns,
      rows: [row('bare FTS5', floor, floorPath), row('SQLite', sqlite, path), row('PostgreSQL', postgres)],
      figures: { 'memory search': percentile(sqlite.searchMs, 50) / percentile(floor.searchMs, 50) },
    },
  ]
}

type Measured = {
  readonly importRate: number
  readonly searchMs: readonly number[]
  readonly neighbourMs?: readonly number[]
  readonly foundMs?: readonly number[]
}

/** The least that a search needs: the texts in an FTS5 table, ranked, with a snippet of each. */
async function measureFloor(path: string, count: number): Promise<Measured> {
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    database.exec("CREATE VIRTUAL TABLE notes USING fts5(content, tokenize = 'porter')")
    const words = createWords()
    const add = database.prepare('INSERT INTO notes (content) VALUES (?)')
    const begun = performance.now()
    for (let from = 0; from < count; from += batch) {
      database.exec('BEGIN')
      for (let at = from; at < Math.min(from + batch, count); at++) add.run(textOf(words))
      database.exec('COMMIT')
    }
    const importRate = (count * 1_000) / (performance.now() - begun)
    for (let at = 0; at < 5; at++) textOf(words)
    const find = database.prepare(
      "SELECT rowid, snippet(notes, 0, '', '', '…', 32) FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 10",
    )
    const searchMs = await timeSearches(makeQueries(words), (query) => {
      find.all(query.split(' ').join(' OR '))
      return Promise.resolve()
    })
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return { importRate, searchMs }
  } finally {
    database.close()
  }
}

async function measure(store: Store, count: number): Promise<Measured> {
  const documents = createDocuments({ store: store.documents })
  try {
    const words = createWords()
    const begun = performance.now()
    for (let from = 0; from < count; from += batch) {
      const some = Array.from({ length: Math.min(batch, count - from) }, (_, at) => ({
        path: `notes/${Math.floor((from + at) / 1_000)}/${from + at}.md`,
        content: textOf(words),
        author: 'user' as const,
      }))
      await documents.write(user, some)
    }
    const importRate = (count * 1_000) / (performance.now() - begun)
    await documents.write(
      neighbour,
      Array.from({ length: 5 }, (_, at) => ({ path: `${at}.md`, content: textOf(words), author: 'user' as const })),
    )
    const queries = makeQueries(words)
    const searchMs = await timeSearches(queries, (query) => search(documents, user, query))
    const neighbourMs = await timed(queries, (query) => search(documents, neighbour, query))
    const marks = Array.from({ length: writes }, (_, at) => `mark${at.toString(36)}q`)
    const foundMs = await timed(marks, async (mark) => {
      await documents.write(user, [{ path: `marks/${mark}.md`, content: `${textOf(words)} ${mark}`, author: 'user' }])
      const [first] = await documents.search(user, { query: mark, limit: 1 })
      if (first?.path !== `marks/${mark}.md`) throw new Error(`${mark} was written and not found`)
    })
    return { importRate, searchMs, neighbourMs, foundMs }
  } finally {
    await store.close()
  }
}

/** Queries of one to four words. */
function makeQueries(words: () => string): string[] {
  return Array.from({ length: searches }, (_, at) => Array.from({ length: 1 + (at % 4) }, words).join(' '))
}

async function timeSearches(queries: readonly string[], find: (query: string) => Promise<void>): Promise<number[]> {
  await timed(queries.slice(0, 20), find)
  return timed(queries, find)
}

async function search(documents: Documents, owner: typeof user, query: string): Promise<void> {
  await documents.search(owner, { query, limit: 10 })
}

async function timed<T>(list: readonly T[], work: (each: T) => Promise<void>): Promise<number[]> {
  const times: number[] = []
  for (const each of list) {
    const begun = performance.now()
    await work(each)
    times.push(performance.now() - begun)
  }
  return times
}

function textOf(word: () => string): string {
  let text = ''
  while (text.length < documentBytes) text += `${word()} `
  return text.slice(0, documentBytes)
}

/** Random words with a natural distribution: a few are common, most are rare. The same in every run. */
function createWords(): () => string {
  const syllables = [
    'ka',
    'mo',
    'ter',
    'lin',
    'sho',
    'bra',
    'vel',
    'dun',
    'pi',
    'gra',
    'sto',
    'nem',
    'ul',
    'fer',
    'qua',
    'zi',
  ]
  const vocabulary = Array.from({ length: 30_000 }, (_, at) => {
    const [a, b, c, d] = [at % 16, (at >> 4) % 16, (at >> 8) % 16, (at >> 12) % 16]
    return [a, b, c, d]
      .map((index) => syllables[index])
      .join('')
      .concat(at % 3 === 0 ? 'ing' : '')
  })
  let sum = 0
  const upTo = vocabulary.map((_, at) => (sum += 1 / (at + 8)))
  let seed = 42
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    const target = (seed / 2 ** 32) * sum
    let [low, high] = [0, upTo.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((upTo[middle] ?? 0) < target) low = middle + 1
      else high = middle
    }
    return vocabulary[low] ?? ''
  }
}
