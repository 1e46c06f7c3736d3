// Memory at scale, on both databases: import rate, search time, and the time from a write until a search finds it.
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
  const rows = [
    await measure('SQLite', openStore({ path: `${children.folder()}/memory.db`, seal }), count),
    await measure('PostgreSQL', (await openPostgresStore({ url: `${origin}/memory`, seal })).store, count),
  ]
  const columns = [
    'database',
    'import /s',
    'search p50 ms',
    'p95 ms',
    'p99 ms',
    'neighbour p50 ms',
    'write to found p50 ms',
  ]
  return [{ title: `Memory, ${count.toLocaleString('en')} documents of 2 KB`, columns, rows }]
}

async function measure(name: string, store: Store, count: number): Promise<string[]> {
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
    const imported = (count * 1_000) / (performance.now() - begun)
    await documents.write(
      neighbour,
      Array.from({ length: 5 }, (_, at) => ({ path: `${at}.md`, content: textOf(words), author: 'user' as const })),
    )
    const queries = Array.from({ length: searches }, (_, at) => Array.from({ length: 1 + (at % 4) }, words).join(' '))
    await timed(queries.slice(0, 20), (query) => search(documents, user, query))
    const searchTimes = await timed(queries, (query) => search(documents, user, query))
    const neighbourTimes = await timed(queries, (query) => search(documents, neighbour, query))
    const marks = Array.from({ length: writes }, (_, at) => `mark${at.toString(36)}q`)
    const writeTimes = await timed(marks, async (mark) => {
      await documents.write(user, [{ path: `marks/${mark}.md`, content: `${textOf(words)} ${mark}`, author: 'user' }])
      const [first] = await documents.search(user, { query: mark, limit: 1 })
      if (first?.path !== `marks/${mark}.md`) throw new Error(`${mark} was written and not found`)
    })
    const figures = [
      percentile(searchTimes, 50),
      percentile(searchTimes, 95),
      percentile(searchTimes, 99),
      percentile(neighbourTimes, 50),
      percentile(writeTimes, 50),
    ]
    return [name, Math.round(imported).toLocaleString('en'), ...figures.map((ms) => ms.toFixed(1))]
  } finally {
    await store.close()
  }
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
