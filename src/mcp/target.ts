// Reads how a server is reached: its variables, its headers, its URL.
import { AppError } from '#core/errors.ts'
import type { McpTarget } from '#core/mcp.ts'

const maxEntries = 50
const variable = /^[A-Za-z_][A-Za-z0-9_]*$/
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
/** The name of a sealed secret, or `$VARIABLE`. */
const valueName = /^(?:\$[A-Za-z_][A-Za-z0-9_]*|[\w.:/@-]{1,200})$/
/** Headers that the protocol or the connection sets. */
const reserved = [
  'host',
  'content-length',
  'content-type',
  'accept',
  'connection',
  'transfer-encoding',
  'mcp-session-id',
]

/** `KEY=SECRET` each. Throws invalid_input. */
export function readVariables(lines: readonly string[]): Record<string, string> {
  return entries(lines, '=', '--env takes KEY=SECRET', ({ key, value }) => {
    if (!variable.test(key)) return `${key} is no name of a variable`
    return valueName.test(value) ? undefined : `${key} needs the name of a secret, or $VARIABLE`
  })
}

/** `Name: SECRET` each. Throws invalid_input. */
export function readHeaders(lines: readonly string[]): Record<string, string> {
  return entries(lines, ':', "--header takes 'Name: SECRET'", ({ key, value }) => headerFault(key, value))
}

/** Throws invalid_input for a target that a server of this name cannot have. */
export function checkTarget(server: string, target: McpTarget): void {
  if (target.kind === 'http') checkAddress(target.url, target.headers)
  const [param, named] = target.kind === 'http' ? ['headers', target.headers] : ['env', target.env]
  const foreign = Object.entries(named).find(([, from]) => isForeign(server, from))
  if (!foreign) return
  const [key, from] = foreign
  throw new AppError('invalid_input', `${key}: the secret ${from} belongs to another server, or to a sign-in`, {
    param,
  })
}

/** Tokens of sign-ins are sealed as `mcp/NAME/…`, values of an import as `mcp.NAME.…`. */
function isForeign(server: string, from: string): boolean {
  return from.startsWith('mcp/') || (from.startsWith('mcp.') && !from.startsWith(`mcp.${server}.`))
}

/** Throws invalid_input for an address or headers that cannot be used. */
function checkAddress(url: string, headers: Readonly<Record<string, string>>): void {
  const parsed = URL.parse(url)
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
    throw new AppError('invalid_input', 'the URL must be of the form https://host/path, without a password', {
      param: 'url',
    })
  }
  const fault = Object.entries(headers)
    .map(([key, value]) => headerFault(key, value))
    .find((each) => each !== undefined)
  if (fault !== undefined) throw new AppError('invalid_input', fault, { param: 'headers' })
}

function headerFault(key: string, value: string): string | undefined {
  if (!headerName.test(key)) return `${JSON.stringify(key.slice(0, 100))} is no name of a header`
  if (reserved.includes(key.toLowerCase())) return `the header ${key} cannot be set`
  return valueName.test(value) ? undefined : `${key} needs the name of a secret, or $VARIABLE`
}

function entries(
  lines: readonly string[],
  joint: string,
  form: string,
  faultOf: (entry: { key: string; value: string }) => string | undefined,
): Record<string, string> {
  if (lines.length > maxEntries) throw new AppError('invalid_input', `at most ${maxEntries} values can be given`)
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(joint)
      const [key, value] = [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()]
      const fault = at < 1 ? `${form}: SECRET is the name of a sealed secret, or $VARIABLE` : faultOf({ key, value })
      if (fault !== undefined) throw new AppError('invalid_input', fault)
      return [key, value]
    }),
  )
}
