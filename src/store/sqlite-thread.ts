// The entry of a thread with its own connection to a SQLite file: it answers lists of statements in order.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Row, Statement } from './sql.ts'
import { isReadOnly } from './sqlite-faults.ts'
import { setUpConnection } from './sqlite-file.ts'
import { type PreparedStatement, prepareOnce } from './sqlite-statement.ts'
import type { Answer, ThreadData } from './sqlite-threads.ts'

const { path, writes, busyMs } = workerData as ThreadData
let db = open()
const statements = new Map<string, PreparedStatement>()
/** SQLite opens a file that cannot be written as one to read, and the connection stays so. */
let readOnly = false
/** What a thread that writes runs outside of a transaction. Other statements belong to one that ended with its thread. */
const outside = /^(?:BEGIN|ROLLBACK|PRAGMA)\b/

/** The rows of the last statement. */
function answer(asked: readonly Statement[]): Answer {
  try {
    if (readOnly && !db.isTransaction) reopen()
    let rows: Row[] = []
    for (const { sql, values } of asked) {
      if (writes && !db.isTransaction && !outside.test(sql)) throw new Error('the transaction has ended')
      const statement = statements.get(sql) ?? prepareOnce(db, sql)
      // Some pragmas are carried out when they are prepared, and only then.
      if (!sql.startsWith('PRAGMA')) statements.set(sql, statement)
      rows = statement.all(values)
    }
    return { rows }
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    readOnly ||= writes && isReadOnly(error)
    return { message, errcode }
  }
}

function open(): DatabaseSync {
  const opened = new DatabaseSync(path, { readOnly: !writes, timeout: busyMs })
  setUpConnection(opened)
  // The main thread decides when the log is moved into the file, see `sqlite.ts`.
  if (writes) opened.exec('PRAGMA wal_autocheckpoint=0')
  return opened
}

function reopen(): void {
  const opened = open()
  statements.clear()
  db.close()
  db = opened
  readOnly = false
}

parentPort?.on('message', (asked: Statement[]) => {
  // oxlint-disable-next-line require-post-message-target-origin -- a thread's port has no origin
  parentPort?.postMessage(answer(asked))
})
// oxlint-disable-next-line require-post-message-target-origin -- as above
parentPort?.postMessage('ready' satisfies Answer)
