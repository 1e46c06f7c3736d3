// Whether a call may run, must be asked for, or is refused.
import type { Effects } from '#core/tool.ts'

export type Verdict = 'allow' | 'ask' | 'deny'

/** The default policy: reading and remembering are free, whatever else changes something is asked for. */
export function judge(effects: Effects): Verdict {
  switch (effects) {
    case 'read':
    case 'keep':
      return 'allow'
    case 'write':
    case 'danger':
      return 'ask'
    default:
      return effects satisfies never
  }
}
