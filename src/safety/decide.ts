// The policy: whether a call may run, must be asked for, or is refused. One pure function of the tool's effects, the call,
// the user's grants, the operator's settings and the taint; the reason is for a person.
import type { Item } from '#core/item.ts'
import { objectIn } from '#core/json.ts'
import type { Effects } from '#core/tool.ts'
import { covers, type Grant } from './grant-rules.ts'
import { type PolicySettings, type RowId, ruleOf } from './policy-table.ts'
import { provenance } from './provenance.ts'

export type Asked = {
  readonly call: { readonly name: string; readonly args: string }
  readonly effects: Effects
  /** Where the first untrusted text came from that the model has read; undefined while it has read none. */
  readonly taint: string | undefined
  /** What the model was given so far, this call left out: addresses are sought in it. */
  readonly items: readonly Item[]
  readonly grants?: readonly Grant[]
  readonly settings?: PolicySettings
  readonly now: number
}

export type Decision = { readonly row: RowId } & (
  | {
      readonly do: 'allow'
      /** What the call writes is marked untrusted. */
      readonly untrusted?: true
      /** What stands for it, where nothing else does. */
      readonly by?: Grant
    }
  | { readonly do: 'ask' | 'deny'; readonly reason: string }
)

export function decide(asked: Asked): Decision {
  const { call, taint, settings = {} } = asked
  const row = rowOf(asked)
  const rule = ruleOf(row, taint !== undefined, settings)
  if (rule === 'deny') return { row, do: 'deny', reason: `the operator does not allow ${whatOf(row, call.name)}` }
  const untrusted = row === 'memory' && taint !== undefined
  const allowed: Decision = untrusted ? { row, do: 'allow', untrusted } : { row, do: 'allow' }
  if (rule === 'allow') return allowed
  if (rule === 'known' && addressOf(asked) !== 'composed') return allowed
  const by = grantOf(asked, row)
  if (by) return { ...allowed, by }
  return { row, do: 'ask', reason: reasonOf(row, rule === 'known', asked) }
}

const fetching = new Set(['web_fetch', 'http_request'])
const keeping = new Set(['memory_write', 'memory_edit', 'memory_delete'])

function rowOf({ call, effects }: Asked): RowId {
  const args = objectIn(call.args) ?? {}
  if (keeping.has(call.name)) return isIdentity(args['path']) ? 'identity' : 'memory'
  if (call.name === 'workspace_write' || call.name === 'workspace_edit') return 'workspace'
  if (call.name === 'workspace_shell') return 'shell'
  if (fetching.has(call.name)) return fetchRow(call.name, args)
  return effects === 'keep' ? 'memory' : effects
}

function fetchRow(name: string, { method, headers, body }: Readonly<Record<string, unknown>>): RowId {
  if (name === 'http_request' && !(typeof method === 'string' && /^(?:get|head)$/i.test(method))) return 'request'
  return isEmpty(headers) && isEmpty(body) ? 'fetch' : 'fetch-made'
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** The files that make the system prompt. Whatever a store could take for one of them counts; so does what is no path. */
function isIdentity(path: unknown): boolean {
  if (typeof path !== 'string') return true
  const name = path
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Cc}]/gu, '')
    .trim()
    .replace(/^(?:\.?[/\\]+)+/, '')
  return /^(?:agents|soul|identity|user)\.md[/\\. ]*$/i.test(name)
}

function addressOf({ call, items }: Asked): ReturnType<typeof provenance> {
  const url = objectIn(call.args)?.['url']
  return typeof url === 'string' ? provenance(url, items) : 'composed'
}

/** Who the agent is does not change by a standing permission once the model has read what others wrote. */
function grantOf({ call, grants = [], taint, now }: Asked, row: RowId): Grant | undefined {
  if (row === 'identity' && taint !== undefined) return undefined
  return grants.find((grant) => covers(grant, call, now) && !(grant.clean && taint !== undefined))
}

function whatOf(row: RowId, name: string): string {
  return row === 'identity' ? `${name} on the files that say who the agent is` : name
}

function reasonOf(row: RowId, byAddress: boolean, { call: { name }, taint }: Asked): string {
  const after = taint === undefined ? '' : `, and the model has read ${taint}`
  if (byAddress) {
    return `the model put this address together itself${after}; it stands neither in your messages nor in a result`
  }
  const said: Readonly<Record<RowId, string>> = {
    read: `${name} reads`,
    memory: `${name} changes memory`,
    identity: `${name} changes a file that says who the agent is`,
    workspace: `${name} changes files of the workspace`,
    shell: `${name} runs a command on this machine`,
    fetch: `${name} asks another host for a page`,
    'fetch-made': `${name} sends headers or a body that the model made`,
    request: `${name} sends something to another host`,
    write: `${name} may change something`,
    danger: `${name} may do anything that this machine allows`,
  }
  return `${said[row]}${after}`
}
