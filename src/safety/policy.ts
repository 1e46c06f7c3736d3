// The policy as the loop asks it: the pure decision, with the grants and settings of the moment.
import type { UserId } from '#core/ids.ts'
import type { Judge } from '#core/policy.ts'
import { reachOf, rowOf, type ToolSpec } from '#core/tool.ts'
import { decide } from './decide.ts'
import type { Grant } from './grant-rules.ts'
import { type LeakScan, stopsIn } from './leaks.ts'
import type { Marker } from './marks.ts'
import type { PolicySettings } from './policy-table.ts'
import { taintOfTools } from './taint.ts'

export type PolicyParts = {
  /** What the operator has set. */
  readonly settings?: () => PolicySettings
  /** What a user has allowed beyond one call. */
  readonly grants?: (user: UserId) => readonly Grant[]
  /** A call runs by a grant of the user's, and would be asked for without it; it may be judged, and told, again. */
  readonly used?: (user: UserId, grant: Grant, call: string) => void
  /** Finds tools whose descriptions speak as instructions do. */
  readonly marker?: () => Marker
  /** Finds secrets in what would go out of a user's turn. */
  readonly scan?: (user: UserId) => LeakScan
  readonly now?: () => number
}

export function createJudge({ settings, grants, used, marker, scan, now = Date.now }: PolicyParts = {}): Judge {
  // What tools say of themselves is read once, and again by another marker.
  const described = new WeakMap<Marker, WeakMap<ToolSpec, string | undefined>>()
  const taintOfSpecs = (specs: readonly ToolSpec[], by: Marker): string | undefined => {
    const known = described.get(by) ?? new WeakMap<ToolSpec, string | undefined>()
    described.set(by, known)
    for (const spec of specs) {
      if (!known.has(spec)) known.set(spec, taintOfTools([spec], by))
      const why = known.get(spec)
      if (why !== undefined) return why
    }
    return undefined
  }

  return ({ user, threadId, call, tool, taint: inText, items, specs }) => {
    // Above every answer and every grant: nobody can see what a model hides in a call. Escapes are read by the scan.
    const leak = scan && !tool.staysHere ? stopsIn(scan(user), [call.args]) : undefined
    if (leak !== undefined) return { do: 'deny', reason: leakReason(leak), leak }
    const taint = inText ?? (marker && taintOfSpecs(specs, marker()))
    const decision = decide({
      name: call.name,
      row: rowOf(tool, call.args),
      reach: reachOf(tool, call.args),
      taint,
      items,
      now: now(),
      ...(grants && { grants: grants(user) }),
      ...(settings && { settings: settings() }),
    })
    const read = taint === undefined ? {} : { taint }
    if (decision.do === 'allow') {
      if (decision.by) used?.(user, decision.by, `${threadId} ${call.callId}`)
      return { do: 'allow', ...read }
    }
    const { reason } = decision
    return decision.do === 'deny' ? { do: 'deny', reason } : { do: 'ask', reason, why: decision.why, ...read }
  }
}

function leakReason(rule: string): string {
  const what = rule === 'own-secret' ? 'a secret of this installation' : `what looks like a secret (${rule})`
  return `its arguments hold ${what}; leave it out: secrets only go out through an installed tool that declares them`
}
