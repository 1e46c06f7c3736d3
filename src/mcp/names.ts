// Names of MCP servers and of their tools.
import { AppError } from '#core/errors.ts'
import { maxServerNameChars } from '#core/mcp.ts'
import { nameKey } from '#core/tool-names.ts'

const maxModelNameChars = 64
const serverName = /^[a-z0-9-]+$/

/** Throws invalid_input for a name that a server cannot have. */
export function checkServerName(name: string): void {
  if (serverName.test(name) && name.length <= maxServerNameChars) return
  const shown = JSON.stringify(name.slice(0, 2 * maxServerNameChars))
  throw new AppError(
    'invalid_input',
    `${shown}: a server's name is 1 to ${maxServerNameChars} of a-z, 0-9 and hyphens`,
    { param: 'name' },
  )
}

/** Makes a name of another client fit, and different from those that are taken. */
export function fitServerName(name: string, taken: readonly string[]): string {
  const fitting = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, maxServerNameChars)
    .replaceAll(/^-|-$/g, '')
  return numbered(fitting === '' ? 'server' : fitting, maxServerNameChars, '-', (each) => !taken.includes(each))
}

/** The model's name for a tool. `taken` are the keys of the model's names for other tools. */
export function modelName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const name = `${server}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  return numbered(name, maxModelNameChars, '_', (each) => !taken.has(nameKey(each)))
}

/** The name, cut to fit; with a number after it if it is not free. */
function numbered(name: string, maxChars: number, joint: string, isFree: (name: string) => boolean): string {
  const cut = name.slice(0, maxChars)
  if (isFree(cut)) return cut
  for (let number = 2; ; number++) {
    const end = `${joint}${number}`
    const each = `${name.slice(0, maxChars - end.length)}${end}`
    if (isFree(each)) return each
  }
}
