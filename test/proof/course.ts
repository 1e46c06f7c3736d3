// The course of a run: every client does one operation after the other, while faults happen.
import { errorMessage } from '#core/errors.ts'
import type { Fault } from './faults.ts'
import type { Event } from './history.ts'

export type Course<Client> = {
  readonly clients: readonly Client[]
  readonly ops: number
  readonly faults: readonly Fault[]
  readonly operate: (client: Client, op: number) => Promise<void>
  readonly record: (event: Event) => void
  /** Gets a line now and then. */
  readonly tell?: ((line: string) => void) | undefined
}

const opsPerLine = 1_000

/**
 * A fault happens when its operation begins. Rejects once a fault fails or an operation throws, without waiting for other
 * operations, and never in the middle of a fault: what that starts is there to be ended.
 */
export async function runCourse<Client>({
  clients,
  ops,
  faults,
  operate,
  record,
  tell,
}: Course<Client>): Promise<void> {
  const began = Date.now()
  let next = 0
  let over = false
  let happening: Promise<void> = Promise.resolve()
  const failed = Promise.withResolvers<never>()
  const due = new Map(faults.map((fault) => [fault.at, fault]))
  const work = async (client: Client): Promise<void> => {
    for (let op = next++; op < ops && !over; op = next++) {
      if (op > 0 && op % opsPerLine === 0) tell?.(`${op} operations after ${Date.now() - began} ms`)
      const fault = due.get(op)
      if (fault) {
        happening = happening.then(() => happen(fault, record))
        happening.catch(failed.reject)
      }
      await operate(client, op)
    }
  }
  try {
    await Promise.race([Promise.all(clients.map(work)), failed.promise])
    await happening
  } finally {
    over = true
    await happening.catch(() => {})
  }
}

async function happen(fault: Fault, record: Course<never>['record']): Promise<void> {
  record({ type: 'fault', name: fault.name })
  try {
    await fault.happen()
  } catch (error) {
    throw new Error(`the fault "${fault.name}" failed: ${errorMessage(error)}`, { cause: error })
  }
  record({ type: 'fault-over', name: fault.name })
}
