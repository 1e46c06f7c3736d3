// Names that the service keeps for its own tools, whether this version has them or not.

/** No installed component may take one of these. */
export const builtInNames: ReadonlySet<string> = new Set([
  'time',
  'calculate',
  'web_fetch',
  'http_request',
  'workspace_read',
  'workspace_write',
  'workspace_edit',
  'workspace_list',
  'workspace_search',
  'workspace_shell',
])
