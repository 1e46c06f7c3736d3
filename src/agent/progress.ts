// Progress of a running call, for watchers: masked, short, and a few reports a second at most.
import type { Progress } from '#core/event.ts'
import type { CallProgress } from '#core/tool.ts'
import { type Later, later } from '#lib/later.ts'
import { withoutNuls } from '#safety/printable.ts'
import type { Mask } from '#safety/secret-values.ts'

/** Minimum time between two reports of one call. Of those in between the latest is sent. */
const minGapMs = 500
const maxMessageChars = 200

export type ProgressParts = Pick<Progress, 'turnId' | 'callId'> & {
  /** Masks secrets. */
  readonly mask: Mask
  readonly emit: (progress: Progress) => void
  readonly timer?: Later
}

export interface ProgressReports {
  add(report: CallProgress): void
  /** The call is over: nothing is sent any more. */
  end(): void
}

export function createProgress({ turnId, callId, mask, emit, timer = later }: ProgressParts): ProgressReports {
  let latest: CallProgress | undefined
  let stopTimer: (() => void) | undefined
  let ended = false

  async function sendLatest(): Promise<void> {
    stopTimer = timer(onTimer, minGapMs)
    if (!latest) return
    const { progress, total, message } = latest
    latest = undefined
    const words = message === undefined ? undefined : await shortened(message, mask)
    if (ended) return
    emit({
      type: 'progress',
      turnId,
      callId,
      progress,
      ...(total !== undefined && { total }),
      ...(words !== undefined && { message: words }),
    })
  }

  function onTimer(): void {
    stopTimer = undefined
    // A report that cannot be masked is not shown.
    if (latest) sendLatest().catch(() => {})
  }

  return {
    add(report) {
      if (ended || !Number.isFinite(report.progress)) return
      const { total, ...rest } = report
      latest = total !== undefined && Number.isFinite(total) ? report : rest
      if (!stopTimer) onTimer()
    },
    end() {
      ended = true
      stopTimer?.()
    },
  }
}

/** Masked before it is cut to its length, so that no part of a secret stays. */
async function shortened(message: string, mask: Mask): Promise<string> {
  const masked = await mask(withoutNuls(message.slice(0, 2 * maxMessageChars)))
  return masked.slice(0, maxMessageChars)
}
