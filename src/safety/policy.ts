// The default policy: reading and remembering are free, whatever else changes something is asked for.
import type { Judged, Verdict } from '#core/policy.ts'
import { effectsOf } from '#core/tool.ts'

export function judge({ call, tool }: Pick<Judged, 'call' | 'tool'>): Verdict {
  const effects = effectsOf(tool, call.args)
  switch (effects) {
    case 'read':
    case 'keep':
      return { do: 'allow' }
    case 'write':
      return { do: 'ask', reason: `${call.name} may change something` }
    case 'danger':
      return { do: 'ask', reason: `${call.name} may do anything that this machine allows` }
    default:
      return effects satisfies never
  }
}
