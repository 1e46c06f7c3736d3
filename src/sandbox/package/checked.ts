// Reading a JSON file that may be hostile: every fault with the path where it stands, every unknown key as a warning.
import { isObject } from '#core/json.ts'

/** What was found wrong so far. Reading goes on after a fault, so that one look tells all of them. */
export type Findings = { readonly faults: string[]; readonly warnings: string[] }

export type Fields = Readonly<Record<string, unknown>>

const maxEntries = 200
const maxTextChars = 4_096
const maxDepth = 50

/** An object with known keys; an absent one is empty. */
export function fields(value: unknown, path: string, known: readonly string[], findings: Findings): Fields {
  if (value === undefined) return {}
  if (!isObject(value)) {
    findings.faults.push(`${path} must be an object`)
    return {}
  }
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) findings.warnings.push(`${at(path, key)} is not known here and is ignored`)
  }
  return value
}

/** A map of free names. */
export function entries(
  value: unknown,
  path: string,
  findings: Findings,
): [name: string, value: unknown, path: string][] {
  if (value === undefined) return []
  if (!isObject(value)) {
    findings.faults.push(`${path} must be an object`)
    return []
  }
  const list = Object.entries(value)
  if (list.length > maxEntries) findings.faults.push(`${path} has more than ${maxEntries} entries`)
  return list.slice(0, maxEntries).map(([name, each]) => [name, each, at(path, name)])
}

/** A list; an absent one is empty. */
export function items(value: unknown, path: string, findings: Findings): [value: unknown, path: string][] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    findings.faults.push(`${path} must be an array`)
    return []
  }
  if (value.length > maxEntries) findings.faults.push(`${path} has more than ${maxEntries} entries`)
  return value.slice(0, maxEntries).map((each: unknown, index) => [each, `${path}[${index}]`])
}

/** A text that fits a pattern, or undefined with a fault. */
export function text(
  value: unknown,
  path: string,
  findings: Findings,
  { pattern, like, optional = false }: { pattern?: RegExp; like?: string; optional?: boolean } = {},
): string | undefined {
  if (value === undefined && optional) return undefined
  const example = like === undefined ? '' : ` such as ${like}`
  if (typeof value !== 'string' || value === '') findings.faults.push(`${path} must be a text${example}`)
  else if (value.length > maxTextChars) findings.faults.push(`${path} is longer than ${maxTextChars} characters`)
  else if (pattern && !pattern.test(value)) findings.faults.push(`${path} is not valid: write it${example}`)
  else return value
  return undefined
}

export function integer(
  value: unknown,
  path: string,
  findings: Findings,
  [least, most]: readonly [number, number],
): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  findings.faults.push(`${path} must be a whole number from ${least} to ${most}`)
  return undefined
}

export function flag(value: unknown, path: string, findings: Findings): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  findings.faults.push(`${path} must be true or false`)
  return undefined
}

/** True for JSON that nests deeper than any schema needs: what walks it later must not run out of stack. */
export function isTooDeep(value: unknown, levels = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isTooDeep(each, levels - 1))
}

/** A path one key further down. */
export function at(path: string, key: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return path === '' ? key : `${path}.${key}`
  return `${path}[${JSON.stringify(key.slice(0, 60))}]`
}
