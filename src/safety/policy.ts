// The judge that the agent loop asks about each call: the pure decision with the current grants and settings.
import type { NewGrant } from '#core/grant.ts'
import type { UserId } from '#core/ids.ts'
import type { Call, Item } from '#core/item.ts'
import type { Judge } from '#core/policy.ts'
import type { LoadedSkill } from '#core/skill.ts'
import { reachOf, rowOf, type Tool, type ToolSpec } from '#core/tool.ts'
import { decide } from './decide.ts'
import { drained } from './drained.ts'
import type { LeakScan } from './leaks.ts'
import type { Marker } from './marks.ts'
import { type PolicySettings, ruleOf } from './policy-table.ts'
import { type Provenance, provenanceInSlices } from './provenance.ts'
import { toolTaintInSlices } from './taint.ts'

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

/** The rule that forbids sending the arguments of a call, found once: a call is judged several times. */
function createArgumentScan() {
  const kept = new WeakMap<Call, { readonly scan: LeakScan; readonly rule: string | undefined }>()
  function* search(scan: LeakScan, call: Call): Generator<void, string | undefined> {
    const known = kept.get(call)
    if (known?.scan === scan) return known.rule
    const rule = yield* scan.stopsInSlices(call.args)
    kept.set(call, { scan, rule })
    return rule
  }
  return { search, stops: (scan: LeakScan, call: Call) => drained(search(scan, call)) }
}

/** Who gave the addresses of calls, found for all at once. It is known until the thread has another item. */
function createAddresses() {
  type Known = { readonly items: readonly Item[]; readonly length: number; readonly address: Provenance | undefined }
  const kept = new WeakMap<Call, Known>()
  return {
    of(call: Call, items: readonly Item[]): Provenance | undefined {
      const known = kept.get(call)
      return known?.items === items && known.length === items.length ? known.address : undefined
    },
    *find(calls: readonly { readonly call: Call; readonly url: string }[], items: readonly Item[]): Generator<void> {
      const { length } = items
      const urls = calls.map(({ url }) => url)
      const found = yield* provenanceInSlices(urls, items)
      for (const [at, { call }] of calls.entries()) kept.set(call, { items, length, address: found[at] })
    },
  }
}

export function createJudge(parts: PolicyParts = {}): Judge {
  const { settings, grants, onGrantUsed, marker, isBuiltIn = () => false, scan, now = Date.now } = parts
  // Each spec is scanned once per marker; a change of settings makes a new marker.
  const taintByMarker = new WeakMap<Marker, WeakMap<ToolSpec, string | undefined>>()
  function* findTaint(specs: readonly ToolSpec[], current: Marker): Generator<void, string | undefined> {
    const known = taintByMarker.get(current) ?? new WeakMap<ToolSpec, string | undefined>()
    taintByMarker.set(current, known)
    for (const spec of specs) {
      if (isBuiltIn(spec)) continue
      if (!known.has(spec)) {
        known.set(spec, yield* toolTaintInSlices([spec], current))
        yield
      }
      const why = known.get(spec)
      if (why !== undefined) return why
    }
    return undefined
  }

  const taintOfSpecs = (specs: readonly ToolSpec[]) => marker && drained(findTaint(specs, marker()))

  const args = createArgumentScan()
  const addresses = createAddresses()
  const judge: Judge = ({ user, threadId, call, tool, taint: inText, items, skills, specs }) => {
    // Before every approval and grant: a person may not see a secret that the model hides in a call. The scan decodes escapes.
    const leak = scan && !tool.argsStayLocal ? args.stops(scan(user), call) : undefined
    if (leak !== undefined) return { do: 'deny', reason: leakReason(leak), leak }
    const taint = inText ?? taintOfSpecs(specs)
    const decision = decide({
      name: call.name,
      row: rowOf(tool, call.args),
      reach: reachOf(tool, call.args),
      taint,
      items,
      address: addresses.of(call, items),
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
    return decision.do === 'deny' ? decision : { ...decision, ...tainted }
  }
  judge.prepare = function* ({ user, calls, taint: inText, items, specs }) {
    const taint = inText ?? (marker && (yield* findTaint(specs, marker())))
    const known: { call: Call; url: string }[] = []
    for (const { call, tool } of calls) {
      if (scan && !tool.argsStayLocal) yield* args.search(scan(user), call)
      const reach = reachOf(tool, call.args)
      const rule = ruleOf(rowOf(tool, call.args), taint !== undefined, settings?.() ?? {})
      if (rule === 'known' && reach?.type === 'url') known.push({ call, url: reach.url })
      yield
    }
    if (known.length > 0) yield* addresses.find(known, items)
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
