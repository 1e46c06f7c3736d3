// The one rule for the names of tools, wherever they come from.

/** What only the agent itself can do, in this version or a later one: no other tool's name begins so. */
export const agentPrefixes: readonly string[] = ['memory_', 'mission_', 'skill_']

const ownPrefixes: readonly string[] = [...agentPrefixes, 'workspace_']
const ownNames: readonly string[] = ['time', 'calculate', 'web_fetch', 'http_request']
const maxNameChars = 64

/** Why a tool that is not built in cannot have a name; undefined when it can. */
export function toolNameFault(name: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(name) || name.length > maxNameChars) {
    return `${JSON.stringify(name.slice(0, 2 * maxNameChars))}: a tool is named by a letter, then letters, digits, _ or -, at most ${maxNameChars} in all`
  }
  const key = nameKey(name)
  if (ownNames.includes(key)) return `${name} is the name of a built-in tool`
  const prefix = ownPrefixes.find((each) => key.startsWith(each))
  return prefix && `${name}: names that start with ${prefix} are reserved`
}

/** The same for names that a model or a person takes for one another. */
export function nameKey(name: string): string {
  return name.toLowerCase().replaceAll('-', '_')
}
