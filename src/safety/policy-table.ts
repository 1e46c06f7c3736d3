// The default policy as data: a row for each kind of call, with the rule while the model has read nothing untrusted and
// the rule afterwards. The operator may tighten or loosen each row; docs/security.md shows the table. Each tool declares
// the rows of its calls.
import type { PolicyInForce, Rule } from '#core/policy.ts'
import type { PolicyRow } from '#core/tool.ts'

export type Row = {
  readonly id: PolicyRow
  /** The calls that the row covers, in words for people. */
  readonly calls: string
  readonly clean: Rule
  readonly tainted: Rule
  readonly note?: string
}

export const policyTable: readonly Row[] = [
  {
    id: 'read',
    calls: 'Reading: memory, workspace, time, calculation, read actions of a component',
    clean: 'allow',
    tainted: 'allow',
    note: "a component's own requests stay within its allowlist",
  },
  {
    id: 'memory',
    calls: 'Writing, editing or deleting a document of memory',
    clean: 'allow',
    tainted: 'allow',
    note: 'under taint the document is marked untrusted',
  },
  {
    id: 'identity',
    calls: 'The same on `AGENTS.md`, `SOUL.md`, `IDENTITY.md`, `USER.md`',
    clean: 'ask',
    tainted: 'ask',
    note: 'under taint no grant covers it',
  },
  { id: 'workspace', calls: 'Writing or editing a file of the workspace', clean: 'ask', tainted: 'ask' },
  { id: 'shell', calls: 'Running a command', clean: 'ask', tainted: 'ask' },
  { id: 'fetch', calls: 'Reading a page; a request with GET or HEAD', clean: 'allow', tainted: 'known' },
  { id: 'fetch-made', calls: 'The same with headers or a body that the model made', clean: 'allow', tainted: 'ask' },
  { id: 'request', calls: 'A request with any other method', clean: 'ask', tainted: 'ask' },
  {
    id: 'write',
    calls: 'Write actions of a component, and any other tool that changes something',
    clean: 'ask',
    tainted: 'ask',
  },
  { id: 'danger', calls: 'Any other tool that may do anything', clean: 'ask', tainted: 'ask' },
]

/** The operator's changes to the default rules. */
export type PolicySettings = { readonly [id in PolicyRow]?: { readonly clean?: Rule; readonly tainted?: Rule } }

/** The rule in force for a row. `known` is about addresses; for a row without addresses it means `ask`. */
export function ruleOf(id: PolicyRow, tainted: boolean, settings: PolicySettings): Rule {
  const row = findRow(id)
  const set = settings[id]
  const rule = tainted ? (set?.tainted ?? row.tainted) : (set?.clean ?? row.clean)
  return rule === 'known' && id !== 'fetch' && id !== 'fetch-made' ? 'ask' : rule
}

/** All rows with the rules in force. */
export function rowsInForce(settings: PolicySettings) {
  return policyTable.map(({ id, calls }) => ({
    id,
    calls,
    clean: ruleOf(id, false, settings),
    tainted: ruleOf(id, true, settings),
    changed: settings[id] !== undefined,
  }))
}

/** The rules in force for a tool's rows. The verdict is that of the first row, the tool's usual one. */
export function policyInForce(rows: readonly PolicyRow[], settings: PolicySettings): PolicyInForce {
  const policy = rowsInForce(settings)
    .filter(({ id }) => rows.includes(id))
    .map(({ id, calls, clean, tainted }) => ({ row: id, calls, clean, tainted }))
  const verdict = (tainted: boolean) => {
    const rule = ruleOf(rows[0] ?? 'danger', tainted, settings)
    return rule === 'known' ? 'ask' : rule
  }
  return { policy, verdict: { clean: verdict(false), tainted: verdict(true) } }
}

function findRow(id: PolicyRow): Row {
  const row = policyTable.find((each) => each.id === id)
  if (!row) throw new Error(`the policy has no row ${id}`)
  return row
}
