// Reads the servers of another client's configuration: `mcpServers` of Claude Desktop, Claude Code and Cursor, `servers` of
// VS Code. Pure: it says what was found, and what was left and why.
import { AppError } from '#core/errors.ts'
import { isObject, valueIn } from '#core/json.ts'
import type { McpTarget } from '#core/mcp.ts'
import { fitServerName } from './names.ts'

const maxImported = 100
const secretKey = /key|token|secret|passw|pwd|auth|credential|cookie|dsn/i
/** `${input:id}` of VS Code; `${env:NAME}`, `${NAME}` and `${NAME:-default}` of others. */
const input = /\$\{input:([\w.-]{1,100})\}/
const variable = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}$/

export type ImportedServer = {
  readonly name: string
  /** Its name in the file, if that did not fit. */
  readonly was?: string
  readonly target: McpTarget
  /** Values to seal, by the names of the secrets. */
  readonly seal: Readonly<Record<string, string>>
  /** Secrets that the operator must set, each with what its value is. */
  readonly missing: readonly { readonly secret: string; readonly for: string }[]
  readonly notes: readonly string[]
}

export type Imported = {
  readonly servers: readonly ImportedServer[]
  readonly left: readonly { readonly name: string; readonly why: string }[]
}

export type ImportParts = {
  /** Names of servers that exist. */
  readonly taken: readonly string[]
  /** True for a value that looks like a secret by itself. */
  readonly looksSecret: (value: string) => boolean
}

/** Throws invalid_input for a text that holds no servers. */
export function readImport(text: string, { taken, looksSecret }: ImportParts): Imported {
  const file = valueIn(withoutComments(text))
  if (!isObject(file)) throw new AppError('invalid_input', 'the file is not a JSON object with mcpServers or servers')
  const mcp = isObject(file['mcp']) ? file['mcp'] : {}
  const found = [file['mcpServers'], file['servers'], mcp['servers']].find(isObject)
  if (!found) throw new AppError('invalid_input', 'the file has neither mcpServers nor servers')
  const entries = Object.entries(found)
  if (entries.length > maxImported) throw new AppError('invalid_input', `the file has more than ${maxImported} servers`)
  const names = [...taken]
  const servers: ImportedServer[] = []
  const left: Imported['left'][number][] = []
  for (const [was, entry] of entries) {
    const name = fitServerName(was, names)
    const read = isObject(entry) ? readServer(name, entry, looksSecret) : 'it is not an object'
    if (typeof read === 'string') left.push({ name: was, why: read })
    else {
      names.push(name)
      servers.push({ ...read, name, ...(name !== was && { was }) })
    }
  }
  return { servers, left }
}

type Entry = Readonly<Record<string, unknown>>
type Read = Omit<ImportedServer, 'name' | 'was'>

/** The server of an entry; a string says why it was left. */
function readServer(name: string, entry: Entry, looksSecret: ImportParts['looksSecret']): Read | string {
  const { command, args = [], env = {}, url, headers = {}, type, disabled } = entry
  if (disabled === true) return 'it is switched off there'
  if (type === 'sse') return 'it speaks HTTP+SSE of 2024, which Atrium does not'
  const values = createValues(name, looksSecret)
  if (typeof url === 'string') {
    if (url.includes('${')) return 'its URL has a placeholder'
    const named = values.read(headers, true)
    return typeof named === 'string' ? named : { target: { kind: 'http', url, headers: named }, ...values.done() }
  }
  if (typeof command !== 'string' || command === '') return 'it has neither a command nor a URL'
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) return 'its arguments are not texts'
  const words = [command, ...args]
  const placeholder = words.map(placeholderIn).find((each) => each !== undefined)
  if (placeholder !== undefined) return `its command line has ${placeholder}, which only the other client knows`
  const named = values.read(env, false)
  if (typeof named === 'string') return named
  const notes = args.some(looksSecret)
    ? ['an argument looks like a secret; it is stored as it is and can be seen in the list of processes']
    : []
  const done = values.done()
  return { target: { kind: 'stdio', command, args, env: named }, ...done, notes: [...done.notes, ...notes] }
}

/** Without a pattern: that would look for the end from each `${`. */
function placeholderIn(word: string): string | undefined {
  const start = word.indexOf('${')
  const end = start < 0 ? -1 : word.indexOf('}', start)
  return end < 0 ? undefined : word.slice(start, end + 1)
}

/** Turns the values of variables or headers into names of secrets, variables, or plain values. */
function createValues(server: string, looksSecret: ImportParts['looksSecret']) {
  const seal: Record<string, string> = {}
  const missing: ImportedServer['missing'][number][] = []
  const notes: string[] = []
  const nameOf = (key: string, value: string, areHeaders: boolean): string => {
    const asked = input.exec(value)?.[1]
    if (asked !== undefined) {
      // Names under `mcp.` are those that an import seals.
      const secret = /^(?!mcp\.)[A-Za-z]/.test(asked) ? asked : `input-${asked}`
      missing.push({ secret, for: value === `\${input:${asked}}` ? key : `${key}, as a whole: ${value}` })
      return secret
    }
    const from = variable.exec(value)?.[1]
    if (from !== undefined) return `$${from}`
    if (!areHeaders && !secretKey.test(key) && !looksSecret(value)) return `=${value}`
    const secret = `mcp.${server}.${key.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`
    seal[secret] = value
    return secret
  }
  return {
    read(values: unknown, areHeaders: boolean): Record<string, string> | string {
      if (!isObject(values)) return 'its variables or headers are not an object'
      const named: Record<string, string> = {}
      for (const [key, value] of Object.entries(values)) {
        if (!['string', 'number', 'boolean'].includes(typeof value)) return `the value of ${key} is not a text`
        named[key] = nameOf(key, String(value), areHeaders)
      }
      return named
    },
    done: () => ({ seal, missing, notes }),
  }
}

/** JSON without comments and without commas before a closing bracket. */
export function withoutComments(text: string): string {
  const out: string[] = []
  /** A comma and the white space after it, until it is known what follows. */
  let comma = ''
  let at = 0
  while (at < text.length) {
    const two = text.slice(at, at + 2)
    const letter = text[at] ?? ''
    if (two === '//' || two === '/*') {
      const end = text.indexOf(two === '//' ? '\n' : '*/', at + 2)
      at = end < 0 ? text.length : end + (two === '//' ? 0 : 2)
      continue
    }
    if (comma !== '' && /\s/.test(letter)) {
      at++
      continue
    }
    if (letter !== '}' && letter !== ']') out.push(comma)
    comma = ''
    const end = letter === '"' ? endOfString(text, at) : at + 1
    if (letter === ',') comma = ','
    else out.push(text.slice(at, end))
    at = end
  }
  return out.join('')
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
