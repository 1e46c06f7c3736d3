// The naming rule for tools of every source.

/** The tool that runs a command. A message with `!` at the terminal calls it too. */
export const shellToolName = 'workspace_shell'

/** Prefixes reserved for the agent's own tools, in this version or a later one. */
export const agentPrefixes: readonly string[] = ['memory_', 'mission_', 'skill_']

const ownPrefixes: readonly string[] = [...agentPrefixes, 'workspace_']
const ownNames: readonly string[] = ['time', 'calculate', 'web_fetch', 'http_request', 'tool_search']
const maxNameChars = 64

/** Why a tool that is not built in cannot have this name; undefined when it can. */
export function toolNameFault(name: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name) || name.length > maxNameChars) {
    return `${JSON.stringify(name.slice(0, 2 * maxNameChars))}: a tool's name is a letter, then letters, digits, _ or -, at most ${maxNameChars} in all`
  }
  const key = nameKey(name)
  if (ownNames.includes(key)) return `${name} is the name of a built-in tool`
  const prefix = ownPrefixes.find((each) => key.startsWith(each))
  return prefix && `${name}: names that start with ${prefix} are reserved`
}

/** A key that is equal for names that are easily confused: case and - or _ do not matter. */
export function nameKey(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}
