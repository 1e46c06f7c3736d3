// The default policy as data: a row for each kind of call, what happens while the model has read nothing untrusted, and
// what happens afterwards. The operator may tighten or loosen each row; docs/security.md shows the table.

/** `known`: allowed where the address was given by the user or a result, its host named by the user; else asked for. */
export type Rule = 'allow' | 'ask' | 'deny' | 'known'

export type Row = {
  readonly id: string
  /** The calls it is about, for a person. */
  readonly calls: string
  readonly clean: Rule
  readonly tainted: Rule
  readonly note?: string
}

export const policyTable = [
  {
    id: 'read',
    calls: "Reading: memory, workspace, time, calculation, a component's read actions",
    clean: 'allow',
    tainted: 'allow',
    note: "a component's own requests stay within its allowlist",
  },
  {
    id: 'memory',
    calls: '`memory_write`, `memory_edit`, `memory_delete`',
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
  { id: 'workspace', calls: '`workspace_write`, `workspace_edit`', clean: 'ask', tainted: 'ask' },
  { id: 'shell', calls: '`workspace_shell`', clean: 'ask', tainted: 'ask' },
  { id: 'fetch', calls: '`web_fetch`; `http_request` with GET or HEAD', clean: 'allow', tainted: 'known' },
  { id: 'fetch-made', calls: 'The same with headers or a body that the model made', clean: 'allow', tainted: 'ask' },
  { id: 'request', calls: '`http_request` with any other method', clean: 'ask', tainted: 'ask' },
  {
    id: 'write',
    calls: "A component's write actions, and any other tool that changes something",
    clean: 'ask',
    tainted: 'ask',
  },
  { id: 'danger', calls: 'Any other tool that may do anything', clean: 'ask', tainted: 'ask' },
] as const satisfies readonly Row[]

export type RowId = (typeof policyTable)[number]['id']

/** What the operator has set: each row's rules, where they are not the default. */
export type PolicySettings = { readonly [id in RowId]?: { readonly clean?: Rule; readonly tainted?: Rule } }

/** The rule of a row as it stands. `known` speaks of addresses: elsewhere it means asking. */
export function ruleOf(id: RowId, tainted: boolean, settings: PolicySettings): Rule {
  const row = policyTable.find((each) => each.id === id) as Row
  const set = settings[id]
  const rule = tainted ? (set?.tainted ?? row.tainted) : (set?.clean ?? row.clean)
  return rule === 'known' && id !== 'fetch' && id !== 'fetch-made' ? 'ask' : rule
}
