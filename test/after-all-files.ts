// Ends what the test files of a process share. `test/run.ts` has this loaded before the first of them.
import { after } from 'node:test'

/** By `node --test`, or a test file that is run by itself. Programs that are no tests load these files too. */
export const runsTests = process.env['NODE_TEST_CONTEXT'] !== undefined || (process.argv[1] ?? '').endsWith('.test.ts')

const ends: (() => Promise<unknown>)[] = []
if (runsTests) {
  after(async () => {
    const faults: unknown[] = []
    // One that fails must not keep the others open.
    for (const end of ends) await end().catch((error: unknown) => faults.push(error))
    if (faults.length > 0) throw new AggregateError(faults, 'what test files share did not end')
  })
}

/** After the last test file of the process. */
export function afterAllFiles(end: () => Promise<unknown>): void {
  ends.push(end)
}
