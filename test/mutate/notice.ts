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
  const { verdict } = await withFault(timeoutFor(expectedMs))
  if (verdict !== 'late') return verdict === 'failed'
  // The machine may be busier than it was.
  const { ms } = await withoutFault()
  if (timeoutFor(ms) <= timeoutFor(expectedMs)) return true
  return (await withFault(timeoutFor(ms))).verdict !== 'passed'
}
