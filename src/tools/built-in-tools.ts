// The list of built-in tools.
import type { UserId } from '#core/ids.ts'
import type { Tool } from '#core/tool.ts'
import type { Fetch, Refusal } from '#net/fetch.ts'
import type { LeakScan } from '#safety/leaks.ts'
import { createWebFetch } from '#tools/web/web-fetch.ts'
import { createHttpRequest } from '#tools/web/http-request.ts'
import { createShellTool } from '#tools/workspace/shell.ts'
import { createWorkspaceTools } from '#tools/workspace/workspace-tools.ts'
import { createJobRunner } from './worker.ts'
import { createCalculateTool } from './calculate.ts'
import { createTimeTool } from './time.ts'

export type BuiltInParts = {
  readonly now: () => number
  readonly fetch: Fetch
  /** Why `fetch` would refuse a URL: such a call is refused without a question. */
  readonly refusal: Refusal
  /** The folder of a user's workspace. */
  readonly folderOf: (user: UserId) => string
  /** The real path of the service's home. */
  readonly home: string
  /** True when the operator's agent may run commands. */
  readonly shell: boolean
  /** The scan for secrets in a user's outgoing requests. */
  readonly scan: (user: UserId) => LeakScan
}

export function createBuiltInTools(parts: BuiltInParts): readonly Tool[] {
  const { now, fetch, refusal, folderOf, home, shell, scan } = parts
  const runJob = createJobRunner()
  return [
    createTimeTool({ now }),
    createCalculateTool(),
    createWebFetch({ fetch, refusal, runJob, scan }),
    createHttpRequest({ fetch, refusal, scan }),
    ...createWorkspaceTools({ folderOf, home, runJob }),
    ...(shell ? [createShellTool({ folderOf, home })] : []),
  ]
}
