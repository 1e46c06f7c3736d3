// Skills: heads, files, contents by hash, and what users have switched off.
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import {
  type JudgeFiles,
  maxSkills,
  type NewSkill,
  type SkillFinding,
  type SkillHead,
  type SkillStore,
} from '#core/skill.ts'
import type { SkillAuthor, StoredSkill, StoredSkillFile, WholeSkill } from '#core/skill.ts'
import { notify } from './change-signal.ts'
import { lockAccount } from './secret-store.ts'
import { changes, first, type Job, query, type Row, run, type Sql, takesLong } from './sql.ts'
import { checkRoom, rowBytes } from './storage-quota.ts'

/** Skills erased in one transaction: others wait for it. */
const maxErased = 5
const maxSwitches = 1_000

const columns = `author, head, findings, updated_at, (SELECT max(f.untrusted) FROM skill_files f
  WHERE f.user_id = skills.user_id AND f.name = skills.name) AS untrusted`

type SkillParts = { readonly sql: Sql; readonly now: () => number; readonly maxUserBytes?: number }

export function createSkillStore({ sql, now, maxUserBytes = 0 }: SkillParts): SkillStore {
  /** One change at a time, so that no content is deleted that another skill begins to use. Readers are not blocked. */
  const change = <T>(owner: UserId, job: () => Job<T>, size?: typeof takesLong): Promise<T> =>
    sql.write(function* () {
      // Waits for the answer: PostgreSQL locks a table only behind a BEGIN, and a job that waits for nothing has none.
      if (sql.backend === 'postgres') yield* query('LOCK TABLE skills IN SHARE ROW EXCLUSIVE MODE')
      yield* lockAccount(owner, sql.lock)
      const done = yield* job()
      yield* notify(sql, { type: 'skills', user: owner })
      return done
    }, size)
  return {
    // Also a small one: the many files of the skill that it replaces are erased.
    put: (owner, skill, judgeFiles) =>
      change(owner, () => putSkill(owner, skill, { at: now(), maxUserBytes, judgeFiles }), takesLong),
    list: (owner) =>
      sql.read(function* () {
        const rows = yield* query(`SELECT ${columns} FROM skills WHERE user_id = ?`, owner)
        return rows.map((row) => skillOf(owner, row)).sort((one, two) => (one.name < two.name ? -1 : 1))
      }),
    get: (owner, name) =>
      sql.read(function* () {
        const row = yield* first(`SELECT ${columns} FROM skills WHERE user_id = ? AND name = ?`, owner, name)
        if (!row) return undefined
        const files = yield* filesOf(owner, name)
        return {
          ...skillOf(owner, row),
          files: files.sort((one, two) => (one.path < two.path ? -1 : 1)),
        } satisfies WholeSkill
      }),
    content: (owner, name, path, hash) =>
      sql.read(function* () {
        const row = yield* first(
          `SELECT c.content, c.hash FROM skill_files f JOIN skill_contents c ON c.user_id = f.user_id AND c.hash = f.hash
           WHERE f.user_id = ? AND f.name = ? AND f.path = ?`,
          owner,
          name,
          path,
        )
        const content = row?.['content']
        if (hash !== undefined && row?.['hash'] !== hash) return undefined
        return content instanceof Uint8Array ? content : undefined
      }),
    trust: (owner, name, files) =>
      change(owner, function* () {
        for (const { path, hash } of files) {
          yield* run(
            'UPDATE skill_files SET untrusted = 0 WHERE user_id = ? AND name = ? AND path = ? AND hash = ?',
            owner,
            name,
            path,
            hash,
          )
        }
      }),
    remove: (owner, name) => change(owner, () => removeSkill(owner, name), takesLong),
    off: (user) =>
      sql.read(function* () {
        const rows = yield* query('SELECT name FROM skill_switches WHERE user_id = ? LIMIT ?', user, maxSwitches)
        return rows.map((row) => String(row['name']))
      }),
    switch: (user, name, on) =>
      change(user, function* () {
        if (on) yield* run('DELETE FROM skill_switches WHERE user_id = ? AND name = ?', user, name)
        else yield* run('INSERT INTO skill_switches (user_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING', user, name)
      }),
    eraseSome: (user) =>
      sql.write(function* () {
        if (sql.backend === 'postgres') yield* run('LOCK TABLE skills IN SHARE ROW EXCLUSIVE MODE')
        const rows = yield* query('SELECT name FROM skills WHERE user_id = ? LIMIT ?', user, maxErased)
        for (const row of rows) yield* removeSkill(user, String(row['name']))
        if (rows.length === 0) yield* run('DELETE FROM skill_switches WHERE user_id = ?', user)
        return rows.length
      }, takesLong),
  }
}

function* putSkill(
  owner: UserId,
  { author, findings, files: given, ...head }: NewSkill,
  { at, maxUserBytes, judgeFiles }: { at: number; maxUserBytes: number; judgeFiles: JudgeFiles | undefined },
): Job<void> {
  const { name } = head
  const existing = yield* first('SELECT bytes FROM skills WHERE user_id = ? AND name = ?', owner, name)
  const count = Number((yield* first('SELECT count(*) AS count FROM skills WHERE user_id = ?', owner))?.['count'])
  if (!existing && count >= maxSkills) {
    throw new AppError('invalid_input', `there are ${count} skills, at most ${maxSkills} are stored: remove one first`)
  }
  const before = yield* filesOf(owner, name)
  const files = judgeFiles ? judgeFiles(existing && before) : given
  const bytes = bytesOf(files)
  const added = bytes - Number(existing?.['bytes'] ?? 0)
  yield* checkRoom(owner, { added, max: maxUserBytes })
  yield* run(
    `INSERT INTO skills (user_id, name, author, head, findings, bytes, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (user_id, name) DO UPDATE SET author = excluded.author, head = excluded.head,
       findings = excluded.findings, bytes = excluded.bytes, updated_at = excluded.updated_at`,
    owner,
    name,
    author,
    JSON.stringify(head),
    JSON.stringify(findings),
    bytes,
    at,
  )
  yield* run('DELETE FROM skill_files WHERE user_id = ? AND name = ?', owner, name)
  for (const { path, content, hash, untrusted } of files) {
    yield* run(
      'INSERT INTO skill_contents (user_id, hash, content) VALUES (?, ?, ?) ON CONFLICT (user_id, hash) DO NOTHING',
      owner,
      hash,
      content,
    )
    yield* run(
      'INSERT INTO skill_files (user_id, name, path, hash, bytes, untrusted) VALUES (?, ?, ?, ?, ?, ?)',
      owner,
      name,
      path,
      hash,
      content.length,
      untrusted ? 1 : 0,
    )
  }
  yield* dropContents(owner, before)
  // A skill that is added is on, also where another of this name was switched off.
  if (!existing) yield* run('DELETE FROM skill_switches WHERE user_id = ? AND name = ?', owner, name)
}

function bytesOf(files: NewSkill['files']): number {
  return files.reduce((sum, { content }) => sum + content.length + rowBytes, rowBytes)
}

function* removeSkill(owner: UserId, name: string): Job<boolean> {
  const removed = yield* changes('DELETE FROM skills WHERE user_id = ? AND name = ?', owner, name)
  if (removed === 0) return false
  const before = yield* filesOf(owner, name)
  yield* run('DELETE FROM skill_files WHERE user_id = ? AND name = ?', owner, name)
  yield* dropContents(owner, before)
  // The operator's skill of this name, which comes in its place, stays off.
  yield* run(
    `DELETE FROM skill_switches WHERE user_id = ? AND name = ?
       AND NOT EXISTS (SELECT 1 FROM skills WHERE user_id = ? AND name = ?)`,
    owner,
    name,
    operator,
    name,
  )
  return true
}

function* filesOf(owner: UserId, name: string): Job<StoredSkillFile[]> {
  const rows = yield* query('SELECT * FROM skill_files WHERE user_id = ? AND name = ?', owner, name)
  return rows.map(fileOf)
}

/** Deletes contents that no file of the owner has any more. */
function* dropContents(owner: UserId, files: readonly StoredSkillFile[]): Job<void> {
  for (const hash of new Set(files.map((file) => file.hash))) {
    yield* run(
      `DELETE FROM skill_contents WHERE user_id = ? AND hash = ?
         AND NOT EXISTS (SELECT 1 FROM skill_files f WHERE f.user_id = ? AND f.hash = ?)`,
      owner,
      hash,
      owner,
      hash,
    )
  }
}

function skillOf(owner: UserId, row: Row): StoredSkill {
  return {
    ...(JSON.parse(String(row['head'])) as SkillHead),
    owner,
    author: String(row['author']) as SkillAuthor,
    findings: JSON.parse(String(row['findings'])) as SkillFinding[],
    untrusted: Number(row['untrusted']) === 1,
    updatedAt: Number(row['updated_at']),
  }
}

function fileOf(row: Row): StoredSkillFile {
  return {
    path: String(row['path']),
    bytes: Number(row['bytes']),
    hash: String(row['hash']),
    untrusted: Number(row['untrusted']) === 1,
  }
}
