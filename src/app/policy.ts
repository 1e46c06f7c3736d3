// The policy of this installation: its current rules and the users' grants.
import type { UserId } from '#core/ids.ts'
import type { Judge } from '#core/policy.ts'
import type { Store } from '#core/store.ts'
import type { ToolSpec } from '#core/tool.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { createJudge } from '#safety/policy.ts'
import { createGrants, type Grants } from '#turns/grant-cache.ts'
import type { Safety } from './safety-settings.ts'

export type Policy = { readonly judge: Judge; readonly grants: Grants }

export type PolicyParts = {
  readonly store: Pick<Store, 'grants'>
  readonly safety: () => Safety
  readonly scan: (user: UserId) => LeakScan
  /** True for the spec of a built-in tool. */
  readonly isBuiltIn?: (spec: ToolSpec) => boolean
}

export function createPolicy({ store, safety, scan, isBuiltIn }: PolicyParts): Policy {
  const grants = createGrants({ store: store.grants })
  const judge = createJudge({
    settings: () => safety().policy,
    grants: (user) => grants.of(user),
    onGrantUsed: (user, grant, call) => grants.used(user, grant, call),
    marker: () => safety().marker(),
    scan,
    ...(isBuiltIn && { isBuiltIn }),
  })
  return { judge, grants }
}
