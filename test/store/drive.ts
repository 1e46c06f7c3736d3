// Runs a job of the store by hand: the test answers each statement. For bounds that no quick test could fill a database up to.
import type { Job, Row, Statement } from '#store/sql.ts'

/** Runs a job with these rows for its statements, one after the other. */
export function drive<T>(job: Job<T>, rows: (statement: Statement) => Row[]): { result: T; asked: Statement[] } {
  const asked: Statement[] = []
  let step = job.next()
  while (!step.done) {
    asked.push(step.value)
    step = job.next(rows(step.value))
  }
  return { result: step.value, asked }
}
