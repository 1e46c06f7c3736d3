// Whether a call may run, must be asked for, or is refused.
import type { Tool } from '#core/tool.ts'

export type Verdict = 'allow' | 'ask' | 'deny'

/** The default policy: reading is free, whatever changes something is asked for. */
export function judge(tool: Pick<Tool, 'effects'>): Verdict {
  switch (tool.effects) {
    case 'read':
      return 'allow'
    case 'write':
    case 'danger':
      return 'ask'
    default:
      return tool.effects satisfies never
  }
}
