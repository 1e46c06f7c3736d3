// A full-text index over chunks: FTS5 on SQLite, tsvector on PostgreSQL. The caller makes the terms. Each term is prefixed
// with its user's number, so a search reads only its user's part of the index.
import type { Candidates, ChunkTerms, Match } from '#core/document.ts'
import { first, type Job, run, type Sql, type Value } from './sql.ts'

/** Unused positions between body, extra and title terms, so that no phrase spans two of them. */
const positionGap = 8
/** Weights of title and extra terms when candidates are ranked; a body term counts 1. */
const titleWeight = 3
const extraWeight = 0.5

/** The table of an index's chunks, which has their terms on PostgreSQL, and SQLite's table of their terms. */
export type IndexTables = { readonly chunks: string; readonly terms: string }
/** A user's number and totals. */
export type IndexTotals = { readonly number: number; readonly chunks: number; readonly terms: number }

type Counted = { readonly number: number; readonly match: Match; readonly max: number }

/** Saves the terms of the chunk that was just inserted, on SQLite. */
export function* saveTerms(tables: IndexTables, number: number, terms: ChunkTerms): Job<void> {
  const insert = `INSERT INTO ${tables.terms} (rowid, title, body, extra) VALUES (last_insert_rowid(), ?, ?, ?)`
  yield* run(insert, ...indexColumns(number, terms))
}

/** The terms of a chunk as SQLite indexes them: title, body, extra. */
export function indexColumns(number: number, { title, body, extra }: ChunkTerms): string[] {
  return [title, body, extra].map((list) => list.map((term) => key(number, term)).join(' '))
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
export function* countMatch(sql: Sql, { chunks, terms }: IndexTables, counted: Counted): Job<number> {
  const { number, match, max } = counted
  const rows =
    sql.backend === 'sqlite'
      ? `SELECT rowid FROM ${terms} WHERE ${terms} MATCH ? LIMIT ?`
      : `SELECT 1 FROM ${chunks} WHERE terms @@ ?::tsquery LIMIT ?`
  const words = sql.backend === 'sqlite' ? ftsQuery(number, match) : tsQuery(number, match)
  const row = yield* first(`SELECT count(*) AS n FROM (${rows}) AS found`, words, max)
  return Number(row?.['n'])
}

/** A statement for the ids and scores of the best candidates. */
export function bestChunks(sql: Sql, tables: IndexTables, totals: IndexTotals, candidates: Candidates): Ranked {
  return sql.backend === 'sqlite' ? rankedByBm25(tables, totals, candidates) : rankedBySum(tables, totals, candidates)
}

type Ranked = { readonly statement: string; readonly values: readonly Value[] }

/** Only the newest `depth` matches are scored: FTS5 takes twenty times as long to score a row as to find it. */
function rankedByBm25(
  { terms }: IndexTables,
  { number }: IndexTotals,
  { match, depth, limit, only }: Candidates,
): Ranked {
  const statement = `SELECT id, score FROM (
      SELECT rowid AS id, -bm25(${terms}, ${titleWeight}, 1, ${extraWeight}) AS score
      FROM ${terms} WHERE ${terms} MATCH ? ORDER BY rowid DESC LIMIT ?
    ) AS newest ORDER BY score DESC LIMIT ?`
  return { statement, values: [ftsQuery(number, match, only), depth, limit] }
}

/** ts_rank saturates with the uses of a word, as BM25 does; the weights add rarity, the division adds length. */
function rankedBySum(tables: IndexTables, totals: IndexTotals, candidates: Candidates): Ranked {
  const { number, chunks, terms } = totals
  const { match, weights, depth, limit, only } = candidates
  const sum = weights.map(({ match: each }) => `?::float8 * ${rankOf(each)}`).join(' + ') || '0'
  // `id + 0` keeps the planner from walking the primary key over all users' rows.
  const statement = `SELECT id, (${sum}) / (0.4 + 0.6 * size / ?::float8) AS score FROM (
      SELECT id, terms, size FROM ${tables.chunks} WHERE terms @@ ?::tsquery ORDER BY id + 0 DESC LIMIT ?
    ) AS newest ORDER BY score DESC LIMIT ?`
  const ranks = weights.flatMap(({ match: each, weight }) => {
    const words = hasPhrase(each) ? [tsQuery(number, { any: wordsOf(each) })] : []
    return [weight, tsQuery(number, each), ...words]
  })
  return { statement, values: [...ranks, Math.max(1, terms / chunks), tsQuery(number, match, only), depth, limit] }
}

/** A phrase is ranked by its words where it matches: `ts_rank` compares every use of a phrase's word with all of another's. */
function rankOf(match: Match): string {
  const rank = `ts_rank('{0.4,0.2,0.2,1}', terms, ?::tsquery)`
  return hasPhrase(match) ? `CASE WHEN terms @@ ?::tsquery THEN ${rank} ELSE 0 END` : rank
}

function hasPhrase(match: Match): boolean {
  return 'phrase' in match || ('any' in match && match.any.some(hasPhrase))
}

/** A match with the words of its phrases, each once, in place of these. */
function wordsOf(match: Match): Match[] {
  if ('phrase' in match) return [...new Set(match.phrase)].map((term) => ({ term }))
  return 'any' in match ? match.any.flatMap(wordsOf) : [match]
}

type Column = Candidates['only']

function ftsQuery(number: number, match: Match, only?: Column): string {
  return only ? `{${only}} : ${ftsMatch(number, match, only)}` : ftsMatch(number, match, 'body')
}

/** A phrase is looked for in one column only. */
function ftsMatch(number: number, match: Match, column: string): string {
  if ('term' in match) return `"${key(number, match.term)}"`
  if ('prefix' in match) return `"${key(number, match.prefix)}" *`
  if ('phrase' in match) return `({${column}} : "${match.phrase.map((term) => key(number, term)).join(' ')}")`
  if ('any' in match) return `(${match.any.map((each) => ftsMatch(number, each, column)).join(' OR ')})`
  return `(${match.all.map((each) => ftsMatch(number, each, column)).join(' AND ')})`
}

function tsQuery(number: number, match: Match, only?: Column): string {
  // Title terms have weight A.
  const weight = only ? 'A' : ''
  const lexeme = (term: string, mark = ''): string => {
    const marks = `${mark}${weight}`
    return `'${key(number, term)}'${marks && `:${marks}`}`
  }
  const inside = (each: Match): string => tsQuery(number, each, only)
  if ('term' in match) return lexeme(match.term)
  if ('prefix' in match) return lexeme(match.prefix, '*')
  if ('phrase' in match) return `(${match.phrase.map((term) => lexeme(term)).join(' <-> ')})`
  if ('any' in match) return `(${match.any.map(inside).join(' | ')})`
  return `(${match.all.map(inside).join(' & ')})`
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
