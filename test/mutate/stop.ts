// A reporter for `node --test` that says nothing and ends the process at the first failure.
import type { TestEvent } from 'node:test/reporters'

// oxlint-disable-next-line require-yield
export default async function* stopAtFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.todo === undefined) process.exit(1)
  }
}
