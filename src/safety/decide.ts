// The policy: whether a call may run, needs approval, or is refused. One pure function of the call's row and reach, the
// user's grants, the operator's settings and the taint.
import type { NewGrant } from '#core/grant.ts'
import type { Item } from '#core/item.ts'
import type { Reach } from '#core/question.ts'
import type { PolicyRow } from '#core/tool.ts'
import { covers } from './grant-rules.ts'
import { type PolicySettings, ruleOf } from './policy-table.ts'
import { type Provenance, provenance } from './provenance.ts'

export type DecisionInput = {
  /** The tool's name. */
  readonly name: string
  /** The policy row and the target of the call, as its tool declares them. */
  readonly row: PolicyRow
  readonly reach: Reach | undefined
  /** The origin of the first untrusted text that the model has read; undefined if it has read none. */
  readonly taint: string | undefined
  /** The prompt so far, without this call. The call's address is searched for in it. */
  readonly items: readonly Item[]
  /** Who gave the address, where that is known already. */
  readonly address?: Provenance | undefined
  readonly grants?: readonly NewGrant[]
  readonly settings?: PolicySettings
  readonly now: number
}

export type Decision =
  /** `by` is the grant that allows the call, if nothing else does. */
  | { readonly do: 'allow'; readonly by?: NewGrant }
  | { readonly do: 'deny'; readonly reason: string }
  /** `why` is the reason as the approval card words it. */
  | { readonly do: 'ask'; readonly reason: string; readonly why: string }

export function decide(input: DecisionInput): Decision {
  const { name, row, taint, settings = {} } = input
  const rule = ruleOf(row, taint !== undefined, settings)
  if (rule === 'deny') return { do: 'deny', reason: `the operator does not allow ${whatOf(row, name)}` }
  if (rule === 'allow' || (rule === 'known' && addressOf(input) !== 'composed')) return { do: 'allow' }
  const by = grantOf(input)
  return by ? { do: 'allow', by } : { do: 'ask', ...reasonOf(rule === 'known', input) }
}

function addressOf({ reach, items, address }: DecisionInput): Provenance {
  return reach?.type === 'url' ? (address ?? provenance(reach.url, items)) : 'composed'
}

/** Under taint no grant allows a command, or a change to the agent's identity files. */
function grantOf({ name, row, reach, grants = [], taint, now }: DecisionInput): NewGrant | undefined {
  if ((row === 'identity' || row === 'shell') && taint !== undefined) return undefined
  return grants.find((grant) => covers(grant, { name, reach }, now) && !(grant.clean && taint !== undefined))
}

function whatOf(row: PolicyRow, name: string): string {
  return row === 'identity' ? `${name} on the files that say who the agent is` : name
}

/** The effect of a call of each row: a predicate that follows the tool's name. */
const actions: Readonly<Record<PolicyRow, string>> = {
  read: 'reads',
  memory: 'changes memory',
  identity: 'changes a file that says who the agent is',
  workspace: 'changes files of the workspace',
  shell: 'runs a command on this machine',
  fetch: 'asks another host for a page',
  'fetch-made': 'sends headers or a body that the model made',
  request: 'sends something to another host',
  write: 'may change something',
  danger: 'may do anything that this machine allows',
}

/** The approval card already names the tool: `why` says "it", shortens a page to its host, and says "only once". */
function reasonOf(byAddress: boolean, { name, row, taint }: DecisionInput): { reason: string; why: string } {
  const after = taint === undefined ? '' : `, and the model has read ${taint}`
  const since = taint === undefined ? '' : `, and this thread has read ${readWords(taint)}`
  const once = taint === undefined ? '' : '. It can only be allowed once.'
  if (byAddress) {
    const unknown = '; it is neither in your messages nor in a result'
    return {
      reason: `the model put this address together itself${after}${unknown}`,
      why: `The model put this address together itself${since}${unknown}${once}`,
    }
  }
  return { reason: `${name} ${actions[row]}${after}`, why: `It ${actions[row]}${since}${once}` }
}

function readWords(taint: string): string {
  const host = /^https?:\/\//.test(taint) ? URL.parse(taint)?.host : undefined
  return host === undefined ? taint : `a page from ${host}`
}
