// How the databases carry out the store's statements: none may look through, or sort, a table that grows with use.
import type { Pool } from 'pg'
import type { DatabaseSync } from 'node:sqlite'
import type { Job, Sql, Statement } from '#store/sql.ts'

/** A port that notes every statement which passes through it. */
export function noting(sql: Sql, seen: Set<string>): Sql {
  function* noted<T>(job: Job<T>): Job<T> {
    let step = job.next()
    while (!step.done) {
      seen.add(step.value.sql)
      const rows = yield step.value satisfies Statement
      step = job.next(rows)
    }
    return step.value
  }
  return {
    ...sql,
    read: (job) => sql.read(() => noted(job())),
    readLong: (user, job) => sql.readLong(user, () => noted(job())),
    write: (job) => sql.write(() => noted(job())),
  }
}

/**
 * Tables that stay small: what an operator sets up, one row a process or a duty, the few codes of links, a handful of
 * ways for each user who wants to be notified, what is being told to chats, and the users who were removed in the last hour.
 */
const small = [
  'settings',
  'secrets',
  'tools',
  'mcp_servers',
  'mcp_tools',
  'processes',
  'thread_index_cursors',
  'duties',
  'users',
  'removals',
  'login_codes',
  'channel_accounts',
  'channel_codes',
  'channel_posts',
  'notification_ways',
  'notification_keys',
]
/** Indexes that hold only what has not ended: they are as large as the load, not as what is stored. */
const ofTheMoment = /^(turns_(active|queued|waiting)|mission_runs_(under_way|waiting)|outbox_(pending|sending))/

/** Faults of some statements that are none, each with the reason why. */
const excused: readonly (readonly [part: string, fault: RegExp, reason: string])[] = [
  ['WITH RECURSIVE waiting', /TEMP B-TREE|AUTOMATIC|Sort|SCAN w(aiting)?$/, 'users who wait, beside what runs'],
  ['WITH RECURSIVE senders', /SCAN s(enders)?$/, 'users of the webhook channel, as many as its LIMIT lets through'],
  ['json_each(?) u', /TEMP B-TREE/, 'a claim puts what it takes in order'],
  ['json_array_elements_text(?::json) u', /Sort/, 'the same on PostgreSQL'],
  ['GROUP BY status', /TEMP B-TREE|Sort/, 'what is broken, of the last days'],
  ['id IN (SELECT id FROM turns WHERE', /Sort/, 'what is active or queued, and of one user'],
  ['FROM users u', /SCAN u /, 'lists every user'],
  ['AS counted', /^SCAN counted$/, 'what its own LIMIT let through'],
  ['MAX(number)', /./, 'the end of an index'],
  ['ORDER BY next_at, id LIMIT 1', /./, 'the beginning of an index'],
  [
    'SELECT channel, account, id FROM channel_updates WHERE taken_at',
    /Seq Scan/,
    'a planner that does not know its LIMIT',
  ],
  ['ORDER BY ends_at LIMIT', /Seq Scan/, 'the same'],
  ['AND at < ? ORDER BY at LIMIT', /Seq Scan/, 'the same'],
  ['DELETE FROM thread_chunks WHERE id IN', /Sort/, 'as many rows as its own LIMIT lets through'],
  ['pinned_at IS NOT NULL ORDER BY', /threads_pinned_operator_reaches/, 'the end of an index of what is pinned'],
  ['AS recent', /^SCAN recent$/, 'what its own LIMIT let through'],
  ['chunk_terms MATCH', /./, 'a search ranks as many hits as its LIMIT says, of the index of terms'],
  ['thread_terms MATCH', /./, 'the same of threads'],
  ['terms @@', /./, 'the same on PostgreSQL'],
  ['FROM usage WHERE day >=', /./, 'adds up the days that are asked for'],
  ['DELETE FROM grants WHERE tool IN', /./, 'an operator removes a server or accepts that its tools changed'],
  ['DELETE FROM outbox WHERE id IN', /Sort/, 'as many entries of one user as its LIMIT lets through'],
  ['FROM outbox WHERE way_id = ? AND pending = 1', /TEMP B-TREE|Sort/, 'what waits on one way'],
  ['GROUP BY mission_id', /./, 'adds up the runs of one user in the days that are asked for'],
]

/** What is wrong with the plan of a statement, as lines that name it; nothing of what is excused. */
export function told(sql: string, faults: readonly string[]): string[] {
  return faults
    .filter((fault) => !excused.some(([part, pattern]) => sql.includes(part) && pattern.test(fault)))
    .map((fault) => `${fault}: ${sql.replaceAll(/\s+/g, ' ')}`)
}

/** What is wrong with SQLite's plan for a statement. It has no statistics here, as in the service. */
export function faultsOfSqlite(db: DatabaseSync, sql: string): string[] {
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
  return plan.flatMap(({ detail }) => {
    if (/TEMP B-TREE|AUTOMATIC/.test(detail)) return [detail]
    // What is queued is a handful beside all turns of a user or of the operator's reach, which an index of all would bring.
    if (sql.includes(`status = 'queued'`) && /INDEX turns_(by_user|operator_reaches) /.test(detail)) return [detail]
    const scan = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail)
    const inner = !scan || /^SCAN (?:\(|CONSTANT|\d)|VIRTUAL TABLE/.test(detail)
    return inner || small.includes(scan[1] ?? '') || ofTheMoment.test(scan[2] ?? '') ? [] : [detail]
  })
}

type Node = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Node[]
}

/** What is wrong with PostgreSQL's plan for a statement, over tables that are filled and analyzed. */
export async function faultsOfPostgres(pool: Pool, sql: string): Promise<string[]> {
  // A setting of the transaction has no plan, nor has a lock.
  if (/^(?:(?:RE)?SET|LOCK TABLE) /.test(sql)) return []
  let at = 0
  const numbered = sql.replaceAll('?', () => `$${++at}`)
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${numbered}`,
  )
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  return plan ? faultsOf(plan) : []
}

function faultsOf(node: Node): string[] {
  const type = node['Node Type']
  const table = node['Relation Name'] ?? ''
  const index = node['Index Name'] ?? ''
  const scans = type === 'Seq Scan' || (type.startsWith('Index') && node['Index Cond'] === undefined)
  const sorts = type.includes('Sort') && !tablesUnder(node).every((name) => small.includes(name))
  const fault = sorts || (scans && !small.includes(table) && !ofTheMoment.test(index))
  return [...(fault ? [`${type} ${table} ${index}`.trim()] : []), ...(node.Plans ?? []).flatMap(faultsOf)]
}

function tablesUnder(node: Node): string[] {
  const own = node['Relation Name'] === undefined ? [] : [node['Relation Name']]
  return [...own, ...(node.Plans ?? []).flatMap(tablesUnder)]
}
