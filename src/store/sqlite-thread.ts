// The entry of a thread that reads a SQLite file: it answers statements in order.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Row, Statement } from './sql.ts'
import type { Answer } from './sqlite-threads.ts'

const maxBusyMs = 5_000

const db = new DatabaseSync(String(workerData), { readOnly: true, timeout: maxBusyMs })
db.exec('PRAGMA cache_size=-16000; PRAGMA temp_store=MEMORY')
const statements = new Map<string, StatementSync>()

function answer({ sql, values }: Statement): Answer {
  try {
    const statement = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, statement)
    return { rows: statement.all(...values) as Row[] }
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    return { message, errcode }
  }
}

parentPort?.on('message', (statement: Statement) => {
  // oxlint-disable-next-line require-post-message-target-origin -- a thread's port has no origin
  parentPort?.postMessage(answer(statement))
})
