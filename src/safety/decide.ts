// The policy: whether a call may run, must be asked for, or is refused. One pure function of the call's row and reach, the
// user's grants, the operator's settings and the taint; the reason is for a person.
import type { Item } from '#core/item.ts'
import type { Reach } from '#core/question.ts'
import type { PolicyRow } from '#core/tool.ts'
import { covers, type Grant } from './grant-rules.ts'
import { type PolicySettings, ruleOf } from './policy-table.ts'
import { provenance } from './provenance.ts'

export type Asked = {
  /** Of the tool. */
  readonly name: string
  /** The row of the policy that the call is under, and what it is aimed at, as its tool says. */
  readonly row: PolicyRow
  readonly reach: Reach | undefined
  /** Where the first untrusted text came from that the model has read; undefined while it has read none. */
  readonly taint: string | undefined
  /** What the model was given so far, this call left out: addresses are sought in it. */
  readonly items: readonly Item[]
  readonly grants?: readonly Grant[]
  readonly settings?: PolicySettings
  readonly now: number
}

export type Decision = { readonly row: PolicyRow } & (
  | {
      readonly do: 'allow'
      /** What the call writes is marked untrusted. */
      readonly untrusted?: true
      /** What stands for it, where nothing else does. */
      readonly by?: Grant
    }
  | { readonly do: 'deny'; readonly reason: string }
  /** `why` is the reason for the person who decides. */
  | { readonly do: 'ask'; readonly reason: string; readonly why: string }
)

export function decide(asked: Asked): Decision {
  const { name, row, taint, settings = {} } = asked
  const rule = ruleOf(row, taint !== undefined, settings)
  if (rule === 'deny') return { row, do: 'deny', reason: `the operator does not allow ${whatOf(row, name)}` }
  const untrusted = row === 'memory' && taint !== undefined
  const allowed: Decision = untrusted ? { row, do: 'allow', untrusted } : { row, do: 'allow' }
  if (rule === 'allow') return allowed
  if (rule === 'known' && addressOf(asked) !== 'composed') return allowed
  const by = grantOf(asked)
  if (by) return { ...allowed, by }
  return { row, do: 'ask', ...reasonOf(rule === 'known', asked) }
}

function addressOf({ reach, items }: Asked): ReturnType<typeof provenance> {
  return reach?.type === 'url' ? provenance(reach.url, items) : 'composed'
}

/** Who the agent is does not change by a standing permission once the model has read what others wrote. */
function grantOf({ name, row, reach, grants = [], taint, now }: Asked): Grant | undefined {
  if (row === 'identity' && taint !== undefined) return undefined
  return grants.find((grant) => covers(grant, { name, reach }, now) && !(grant.clean && taint !== undefined))
}

function whatOf(row: PolicyRow, name: string): string {
  return row === 'identity' ? `${name} on the files that say who the agent is` : name
}

/** What a call of each row does, after its name. */
const doings: Readonly<Record<PolicyRow, string>> = {
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

/** The card of an approval names the tool: `why` says "it", of a page that was read its host, and what follows of it. */
function reasonOf(byAddress: boolean, { name, row, taint }: Asked): { reason: string; why: string } {
  const after = taint === undefined ? '' : `, and the model has read ${taint}`
  const since = taint === undefined ? '' : `, and this thread has read ${readWords(taint)}`
  const once = taint === undefined ? '' : '. It can only be allowed once.'
  if (byAddress) {
    const stands = '; it stands neither in your messages nor in a result'
    return {
      reason: `the model put this address together itself${after}${stands}`,
      why: `The model put this address together itself${since}${stands}${once}`,
    }
  }
  return { reason: `${name} ${doings[row]}${after}`, why: `It ${doings[row]}${since}${once}` }
}

function readWords(taint: string): string {
  const host = /^https?:\/\//.test(taint) ? URL.parse(taint)?.host : undefined
  return host === undefined ? taint : `a page from ${host}`
}
