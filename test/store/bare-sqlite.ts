// A SQLite database with one table, which counts the statements that run on it.
import type { SQLInputValue } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { type Job, query } from '#store/sql.ts'
import { openSqlite } from '#store/sqlite.ts'

export function openBare(t: TestContext, path = ':memory:', parts?: Parameters<typeof openSqlite>[1]) {
  const sql = openSqlite(path, parts)
  t.after(() => sql.close())
  sql.db.exec('CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)')
  const ran: string[] = []
  const exec = sql.db.exec.bind(sql.db)
  sql.db.exec = (text) => {
    ran.push(text)
    return exec(text)
  }
  const prepare = sql.db.prepare.bind(sql.db)
  sql.db.prepare = (text) => {
    const statement = prepare(text)
    const all = statement.all.bind(statement)
    statement.all = ((...values: SQLInputValue[]) => {
      ran.push(text)
      return all(...values)
    }) as typeof all
    return statement
  }
  const count = (word: string): number => ran.filter((text) => text === word).length
  return { ...sql, count }
}

/** However slow the machine, no commit has worked for long. */
export function stopClock(t: TestContext): void {
  t.mock.method(performance, 'now', () => 0)
}

export function* note(text: string): Job<string> {
  yield* query('INSERT INTO notes (text) VALUES (?)', text)
  return text
}

export function* notes(): Job<string[]> {
  return (yield* query('SELECT text FROM notes ORDER BY id')).map((row) => String(row['text']))
}
