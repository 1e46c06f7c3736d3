// The judge that the agent loop asks about each call: the pure decision with the current grants and settings.
import type { NewGrant } from '#core/grant.ts'
import type { UserId } from '#core/ids.ts'
import type { Call } from '#core/item.ts'
import type { Judge } from '#core/policy.ts'
import type { LoadedSkill } from '#core/skill.ts'
import { reachOf, rowOf, type Tool, type ToolSpec } from '#core/tool.ts'
import { decide } from './decide.ts'
import type { LeakScan } from './leaks.ts'
import type { Marker } from './marks.ts'
import type { PolicySettings } from './policy-table.ts'
import { taintOfTools } from './taint.ts'

export type PolicyParts = {
  /** The operator's current settings. */
  readonly settings?: () => PolicySettings
  /** The user's current grants. */
  readonly grants?: (user: UserId) => readonly NewGrant[]
  /** Called when a call is allowed only by a grant. A call may be judged, and so reported, more than once. */
  readonly onGrantUsed?: (user: UserId, grant: NewGrant, call: string) => void
  /** Finds tools whose descriptions give orders. */
  readonly marker?: () => Marker
  /** True for the spec of a built-in tool. Its text is part of the program, and a test searches it. */
  readonly isBuiltIn?: (spec: ToolSpec) => boolean
  /** Finds secrets in a call's arguments. */
  readonly scan?: (user: UserId) => LeakScan
  readonly now?: () => number
}

/** Longer arguments are searched for secrets ahead of the judgement, in slices. */
const longChars = 16 * 1024

/** The rule that forbids sending the arguments of a call, found once for long ones: a call is judged several times. */
function createArgumentScan() {
  const kept = new WeakMap<Call, { readonly scan: LeakScan; readonly rule: string | undefined }>()
  const isKnown = (scan: LeakScan, call: Call): boolean => kept.get(call)?.scan === scan
  return {
    stops(scan: LeakScan, call: Call): string | undefined {
      if (call.args.length <= longChars) return scan.stops(call.args)
      if (!isKnown(scan, call)) kept.set(call, { scan, rule: scan.stops(call.args) })
      return kept.get(call)?.rule
    },
    needsSearch: (scan: LeakScan, call: Call) => call.args.length > longChars && !isKnown(scan, call),
    *search(scan: LeakScan, call: Call): Generator<void, void> {
      kept.set(call, { scan, rule: yield* scan.stopsInSlices(call.args) })
    },
  }
}

export function createJudge(parts: PolicyParts = {}): Judge {
  const { settings, grants, onGrantUsed, marker, isBuiltIn = () => false, scan, now = Date.now } = parts
  // Each spec is scanned once per marker; a change of settings makes a new marker.
  const taintByMarker = new WeakMap<Marker, WeakMap<ToolSpec, string | undefined>>()
  const taintOfSpecs = (specs: readonly ToolSpec[], current: Marker): string | undefined => {
    const known = taintByMarker.get(current) ?? new WeakMap<ToolSpec, string | undefined>()
    taintByMarker.set(current, known)
    for (const spec of specs) {
      if (isBuiltIn(spec)) continue
      if (!known.has(spec)) known.set(spec, taintOfTools([spec], current))
      const why = known.get(spec)
      if (why !== undefined) return why
    }
    return undefined
  }

  const args = createArgumentScan()
  const judge: Judge = ({ user, threadId, call, tool, taint: inText, items, skills, specs }) => {
    // Before every approval and grant: a person may not see a secret that the model hides in a call. The scan decodes escapes.
    const leak = scan && !tool.argsStayLocal ? args.stops(scan(user), call) : undefined
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
    const tainted = taint === undefined ? {} : { taint }
    const narrowed = decision.do === 'allow' ? narrowedBy(call.name, tool, skills) : undefined
    if (narrowed !== undefined) {
      const once = taint === undefined ? '' : '. It can only be allowed once.'
      return { do: 'ask', reason: narrowed, why: `${narrowed}${once}`, ...tainted }
    }
    if (decision.do === 'allow') {
      if (decision.by) onGrantUsed?.(user, decision.by, `${threadId} ${call.callId}`)
      return { do: 'allow', ...tainted }
    }
    const { reason } = decision
    return decision.do === 'deny' ? { do: 'deny', reason } : { do: 'ask', reason, why: decision.why, ...tainted }
  }
  judge.prepare = ({ user, call, tool }) => {
    if (!scan || tool.argsStayLocal) return undefined
    const current = scan(user)
    return args.needsSearch(current, call) ? args.search(current, call) : undefined
  }
  return judge
}

function leakReason(rule: string): string {
  const what = rule === 'own-secret' ? 'a secret of this installation' : `what looks like a secret (${rule})`
  return `its arguments hold ${what}; leave it out: secrets only go out through an installed tool that declares them`
}

/** Why a call that the policy allows needs approval: its tool asks each time, or a skill of this turn names other tools. */
function narrowedBy(name: string, { asksEachTime }: Tool, skills: readonly LoadedSkill[] = []): string | undefined {
  if (asksEachTime) return `${name} asks each time`
  const skill = skills.find(({ tools }) => tools && !tools.includes(name))
  return skill && `${name} is not among the tools of the skill ${skill.name}, which this turn has loaded`
}
