// The full-text index over chunks: FTS5 on SQLite, tsvector on PostgreSQL. The caller makes the terms. Each term is prefixed
// with its user's number, so a search reads only its user's part of the index.
import type { Candidates, Chunk, ChunkTerms, FoundChunk, Match } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { first, type Job, query, type Row, run, type Sql, type Value } from './sql.ts'

/** Unused positions between body, extra and title terms, so that no phrase spans two of them. */
const positionGap = 8
/** Weights of title and extra terms when candidates are ranked; a body term counts 1. */
const titleWeight = 3
const extraWeight = 0.5

type NewChunk = { readonly path: string; readonly at: number; readonly chunk: Chunk }
export type IndexOwner = {
  readonly user: UserId
  readonly number: number
  readonly chunks: number
  readonly terms: number
}

export function* saveChunk(sql: Sql, { user, number }: IndexOwner, { path, at, chunk }: NewChunk): Job<void> {
  const { text, lap, terms } = chunk
  const values = [user, path, at, lap, terms.body.length, text] as const
  if (sql.backend === 'postgres') {
    const insert =
      'INSERT INTO chunks (user_id, path, at, lap, size, text, terms) VALUES (?, ?, ?, ?, ?, ?, ?::tsvector)'
    yield* run(insert, ...values, termVector(number, terms))
    return
  }
  const insert = 'INSERT INTO chunks (user_id, path, at, lap, size, text) VALUES (?, ?, ?, ?, ?, ?) RETURNING id'
  const row = yield* first(insert, ...values)
  const insertTerms = 'INSERT INTO chunk_terms (rowid, title, body, extra) VALUES (?, ?, ?, ?)'
  yield* run(insertTerms, Number(row?.['id']), ...indexColumns(number, terms))
}

/** The terms of a chunk as SQLite indexes them: title, body, extra. */
export function indexColumns(number: number, { title, body, extra }: ChunkTerms): string[] {
  return [title, body, extra].map((list) => list.map((term) => key(number, term)).join(' '))
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
 * Makes PostgreSQL use the index. It would prefer to scan the table, because it does not count the cost of unpacking the
 * terms of every row.
 */
export function* withIndex<T>({ backend }: Sql, job: Job<T>): Job<T> {
  if (backend === 'sqlite') return yield* job
  yield* run('SET enable_seqscan = off')
  const result = yield* job
  yield* run('RESET enable_seqscan')
  return result
}

/** The number of chunks that match, counted up to `max`. */
export function* countMatch(sql: Sql, number: number, match: Match, max: number): Job<number> {
  const rows =
    sql.backend === 'sqlite'
      ? 'SELECT rowid FROM chunk_terms WHERE chunk_terms MATCH ? LIMIT ?'
      : 'SELECT 1 FROM chunks WHERE terms @@ ?::tsquery LIMIT ?'
  const row = yield* first(`SELECT count(*) AS n FROM (${rows}) AS found`, queryOf(sql, number, match), max)
  return Number(row?.['n'])
}

export function* findChunks(sql: Sql, owner: IndexOwner, candidates: Candidates): Job<FoundChunk[]> {
  const { statement, values } =
    sql.backend === 'sqlite' ? rankedByBm25(owner, candidates) : rankedBySum(owner, candidates)
  // `|| ''` keeps the planner from an index on user_id: the join must start from the few best rows, not from all of the user's.
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

/** Only the newest `depth` matches are scored: FTS5 takes twenty times as long to score a row as to find it. */
function rankedByBm25({ number }: IndexOwner, { match, depth, limit }: Candidates): Ranked {
  const statement = `SELECT id, score FROM (
      SELECT rowid AS id, -bm25(chunk_terms, ${titleWeight}, 1, ${extraWeight}) AS score
      FROM chunk_terms WHERE chunk_terms MATCH ? ORDER BY rowid DESC LIMIT ?
    ) AS newest ORDER BY score DESC LIMIT ?`
  return { statement, values: [ftsQuery(number, match), depth, limit] }
}

/** ts_rank saturates with the uses of a word, as BM25 does; the weights add rarity, the division adds length. */
function rankedBySum({ number, chunks, terms }: IndexOwner, { match, weights, depth, limit }: Candidates): Ranked {
  const sum = weights.map(() => `?::float8 * ts_rank('{0.4,0.2,0.2,1}', terms, ?::tsquery)`).join(' + ') || '0'
  // `id + 0` keeps the planner from walking the primary key over all users' rows.
  const statement = `SELECT id, (${sum}) / (0.4 + 0.6 * size / ?::float8) AS score FROM (
      SELECT id, terms, size FROM chunks WHERE terms @@ ?::tsquery ORDER BY id + 0 DESC LIMIT ?
    ) AS newest ORDER BY score DESC LIMIT ?`
  const ranks = weights.flatMap(({ match: each, weight }) => [weight, tsQuery(number, each)])
  return { statement, values: [...ranks, Math.max(1, terms / chunks), tsQuery(number, match), depth, limit] }
}

function queryOf({ backend }: Sql, number: number, match: Match): string {
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

/** The text of a tsvector: each term with its positions. Title terms have weight A, extra terms weight C. */
export function termVector(number: number, { title, body, extra }: ChunkTerms): string {
  const positions = new Map<string, string[]>()
  let at = 0
  for (const [list, weight] of [
    [body, ''],
    [extra, 'C'],
    [title, 'A'],
  ] as const) {
    for (const term of list) {
      const known = positions.get(term)
      const position = `${++at}${weight}`
      if (known) known.push(position)
      else positions.set(term, [position])
    }
    at += positionGap
  }
  return [...positions].map(([term, list]) => `'${key(number, term)}':${list.join(',')}`).join(' ')
}

function key(number: number, term: string): string {
  return `${number.toString(36)}:${term}`
}
