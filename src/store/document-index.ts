// The index over chunks: FTS5 on SQLite, a tsvector on PostgreSQL. Both hold the terms that were made above, each behind
// its user's number, so that a search walks through what its user has and through nothing else.
import type { Candidates, Chunk, ChunkTerms, FoundChunk, Match } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { first, type Job, query, type Row, run, type Sql, type Value } from './sql.ts'

/** Between the words of a chunk and what else it is found by, so that no phrase reaches from one to the other. */
const gap = 8
/** What a word in a title, in the text and beside it counts when candidates are ordered. */
const titleWeight = 3
const extraWeight = 0.5

type Place = { readonly path: string; readonly place: number; readonly chunk: Chunk }
type Whose = { readonly user: UserId; readonly number: number; readonly chunks: number; readonly terms: number }

export function* saveChunk(sql: Sql, { user, number }: Whose, { path, place, chunk }: Place): Job<void> {
  const { text, lap, terms } = chunk
  const values = [user, path, place, lap, terms.body.length, text] as const
  if (sql.backend === 'postgres') {
    const insert =
      'INSERT INTO chunks (user_id, path, at, lap, size, text, terms) VALUES (?, ?, ?, ?, ?, ?, ?::tsvector)'
    yield* run(insert, ...values, vectorOf(number, terms))
    return
  }
  const insert = 'INSERT INTO chunks (user_id, path, at, lap, size, text) VALUES (?, ?, ?, ?, ?, ?) RETURNING id'
  const row = yield* first(insert, ...values)
  const columns = [terms.title, terms.body, terms.extra].map((list) => list.map((term) => key(number, term)).join(' '))
  yield* run('INSERT INTO chunk_terms (rowid, title, body, extra) VALUES (?, ?, ?, ?)', Number(row?.['id']), ...columns)
}

/** Removes the chunks of a document. */
export function* eraseChunks(sql: Sql, user: UserId, path: string): Job<void> {
  if (sql.backend === 'sqlite') {
    const chunks = 'SELECT id FROM chunks WHERE user_id = ? AND path = ?'
    yield* run(`DELETE FROM chunk_terms WHERE rowid IN (${chunks})`, user, path)
  }
  yield* run('DELETE FROM chunks WHERE user_id = ? AND path = ?', user, path)
}

/**
 * A job that goes through the index. PostgreSQL takes reading every row for cheap, since it does not count what it costs
 * to unpack their terms.
 */
export function* throughIndex<T>({ backend }: Sql, job: Job<T>): Job<T> {
  if (backend === 'sqlite') return yield* job
  yield* run('SET enable_seqscan = off')
  const result = yield* job
  yield* run('RESET enable_seqscan')
  return result
}

/** How many chunks match; none is counted further than `most`. */
export function* countMatch(sql: Sql, number: number, match: Match, most: number): Job<number> {
  const rows =
    sql.backend === 'sqlite'
      ? 'SELECT rowid FROM chunk_terms WHERE chunk_terms MATCH ? LIMIT ?'
      : 'SELECT 1 FROM chunks WHERE terms @@ ?::tsquery LIMIT ?'
  const row = yield* first(`SELECT count(*) AS n FROM (${rows}) AS found`, wordsOf(sql, number, match), most)
  return Number(row?.['n'])
}

export function* findChunks(sql: Sql, owner: Whose, candidates: Candidates): Job<FoundChunk[]> {
  const { statement, values } =
    sql.backend === 'sqlite' ? rankedByBm25(owner, candidates) : rankedBySum(owner, candidates)
  // The few that were chosen lead the join: by the bare column the planner would walk through all that the user has.
  const rows = yield* query(
    `SELECT c.path, c.at, c.text, d.untrusted, d.updated_at FROM (${statement}) AS best
     JOIN chunks c ON c.id = best.id AND c.user_id || '' = ?
     JOIN documents d ON d.user_id = c.user_id AND d.path = c.path ORDER BY best.score DESC, c.id DESC`,
    ...values,
    owner.user,
  )
  return rows.map(foundOf)
}

export function foundOf(row: Row): FoundChunk {
  return {
    path: String(row['path']),
    at: Number(row['at']),
    text: String(row['text']),
    untrusted: Number(row['untrusted']) === 1,
    updatedAt: Number(row['updated_at']),
  }
}

type Ranked = { readonly statement: string; readonly values: readonly Value[] }

/** FTS5 counts only what stands in the match; to score a row takes it twenty times as long as to find it. */
function rankedByBm25({ number }: Whose, { match, depth, limit }: Candidates): Ranked {
  const statement = `SELECT id, score FROM (
      SELECT rowid AS id, -bm25(chunk_terms, ${titleWeight}, 1, ${extraWeight}) AS score
      FROM chunk_terms WHERE chunk_terms MATCH ? ORDER BY rowid DESC LIMIT ?
    ) AS newest ORDER BY score DESC LIMIT ?`
  return { statement, values: [ftsQuery(number, match), depth, limit] }
}

/** ts_rank grows with the uses of a word and flattens, as BM25 does; rarity and length are brought in here. */
function rankedBySum({ number, chunks, terms }: Whose, { match, weights, depth, limit }: Candidates): Ranked {
  const sum = weights.map(() => `?::float8 * ts_rank('{0.4,0.2,0.2,1}', terms, ?::tsquery)`).join(' + ') || '0'
  // The sum keeps the planner from walking through everybody's rows by id.
  const statement = `SELECT id, (${sum}) / (0.4 + 0.6 * size / ?::float8) AS score FROM (
      SELECT id, terms, size FROM chunks WHERE terms @@ ?::tsquery ORDER BY id + 0 DESC LIMIT ?
    ) AS newest ORDER BY score DESC LIMIT ?`
  const ranks = weights.flatMap(({ match: each, weight }) => [weight, tsQuery(number, each)])
  return { statement, values: [...ranks, Math.max(1, terms / chunks), tsQuery(number, match), depth, limit] }
}

function wordsOf({ backend }: Sql, number: number, match: Match): string {
  return backend === 'sqlite' ? ftsQuery(number, match) : tsQuery(number, match)
}

function ftsQuery(number: number, match: Match): string {
  if ('term' in match) return `"${key(number, match.term)}"`
  if ('prefix' in match) return `"${key(number, match.prefix)}" *`
  if ('phrase' in match) return `({body} : "${match.phrase.map((term) => key(number, term)).join(' ')}")`
  if ('any' in match) return `(${match.any.map((each) => ftsQuery(number, each)).join(' OR ')})`
  return `(${match.all.map((each) => ftsQuery(number, each)).join(' AND ')})`
}

function tsQuery(number: number, match: Match): string {
  if ('term' in match) return `'${key(number, match.term)}'`
  if ('prefix' in match) return `'${key(number, match.prefix)}':*`
  if ('phrase' in match) return `(${match.phrase.map((term) => `'${key(number, term)}'`).join(' <-> ')})`
  if ('any' in match) return `(${match.any.map((each) => tsQuery(number, each)).join(' | ')})`
  return `(${match.all.map((each) => tsQuery(number, each)).join(' & ')})`
}

/** A tsvector's text: each term with its places; a title's weigh A, those of the extra terms C. */
function vectorOf(number: number, { title, body, extra }: ChunkTerms): string {
  const places = new Map<string, string[]>()
  let at = 0
  for (const [list, weight] of [
    [body, ''],
    [extra, 'C'],
    [title, 'A'],
  ] as const) {
    for (const term of list) {
      const known = places.get(term)
      const place = `${++at}${weight}`
      if (known) known.push(place)
      else places.set(term, [place])
    }
    at += gap
  }
  return [...places].map(([term, list]) => `'${key(number, term)}':${list.join(',')}`).join(' ')
}

function key(number: number, term: string): string {
  return `${number.toString(36)}:${term}`
}
