// Whether a test notices a planted fault. A machine with much to do slows the answer and does not change it.
import type { Attempt } from './attempt.ts'

/** A fault that makes a test so much slower is noticed: it may never end. */
const slower = 5

export type Trial = {
  /** What the test took without the fault, at an earlier time. */
  readonly expectedMs: number
  /** A test has at least so long, however quick it is as a rule. */
  readonly minTimeoutMs: number
  readonly withFault: (timeoutMs: number) => Promise<Attempt>
  readonly withoutFault: () => Promise<Attempt>
}

export async function isNoticed({ expectedMs, minTimeoutMs, withFault, withoutFault }: Trial): Promise<boolean> {
  const timeoutFor = (ms: number): number => Math.max(minTimeoutMs, slower * ms)
  const { verdict, ms: took } = await withFault(timeoutFor(expectedMs))
  if (verdict === 'passed') return false
  // A test that failed after a long time may have run out of patience: it must fail twice.
  if (verdict === 'failed') {
    return took <= minTimeoutMs || (await withFault(timeoutFor(Math.max(expectedMs, took)))).verdict !== 'passed'
  }
  // The machine may be busier than it was.
  const { ms } = await withoutFault()
  if (timeoutFor(ms) <= timeoutFor(expectedMs)) return true
  return (await withFault(timeoutFor(ms))).verdict !== 'passed'
}
