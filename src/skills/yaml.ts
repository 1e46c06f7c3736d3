// Reads the names and values of a YAML head. It is bounded before it is parsed, and checked before it becomes an object: the
// library would take minutes for nested names that are maps.
import { isAlias, isCollection, isMap, isNode, isPair, isScalar, LineCounter, parseDocument } from 'yaml'

/** Marks of YAML, also those in texts. The library takes up to 30 µs for each. */
const marks = /[[\]{},&*!|#"'\\\n]|[:?-](?=\s)/g
const maxMarks = 1_000
const maxDepth = 10

/** A value of the head, and its line. */
type Field = { readonly value: unknown; readonly line: number }
export type Fields = ReadonlyMap<string, Field>

type Fault = { readonly message: string; readonly line: number }
type Yaml = { readonly values: Fields; readonly fault?: never } | { readonly values?: never; readonly fault: Fault }

/** Lines are those of SKILL.md: its first line is above the head. */
export function readYaml(text: string): Yaml {
  const marked = text.match(marks)?.length ?? 0
  if (marked > maxMarks) {
    const found = `the head has ${marked} marks of YAML, such as commas, colons, quotes and line ends`
    return { fault: { message: `${found}, at most ${maxMarks} are read: shorten it`, line: 1 } }
  }
  const lineCounter = new LineCounter()
  const lineAt = (position: number): number => lineCounter.linePos(position).line + 1
  // A directive of the head must not bring back merged maps, dates and sets. Names that occur twice are found below: the
  // library would compare each with all others.
  const options = { schema: 'core', resolveKnownTags: false, merge: false, uniqueKeys: false } as const
  const document = parseDocument(text, { ...options, lineCounter, prettyErrors: false, logLevel: 'silent' })
  const [error] = document.errors
  if (error) return { fault: { message: `the head is not YAML: ${error.message}`, line: lineAt(error.pos[0]) } }
  const { contents } = document
  if (!isMap(contents)) return { fault: { message: 'the head is not a list of names and values', line: 1 } }
  const refused = refusedIn(contents, 'the head', 1)
  if (refused) return { fault: { message: refused.message, line: lineAt(refused.at) } }
  const lines = new Map(contents.items.map(({ key }) => [nameOf(key), lineAt(startOf(key))]))
  const values = Object.entries(document.toJS() as object)
  return {
    values: new Map(values.map(([name, value]) => [name, { value: value as unknown, line: lines.get(name) ?? 1 }])),
  }
}

type Refused = { readonly message: string; readonly at: number }

/** The first part of a value that is not read. */
function refusedIn(node: unknown, field: string, depth: number): Refused | undefined {
  const refuse = (why: string, at: unknown): Refused => ({ message: `${field} ${why}`, at: startOf(at) })
  if (isAlias(node)) return refuse('has an alias: write the value out', node)
  if (!isCollection(node)) return undefined
  if (depth > maxDepth) return refuse(`is nested more than ${maxDepth} deep: write plain names and values`, node)
  const names = new Set<string>()
  for (const item of node.items) {
    if (isPair(item)) {
      if (!isScalar(item.key)) return refuse('has a name that is no text: write plain names and values', item.key)
      const name = nameOf(item.key)
      if (names.has(name)) return refuse(`has ${JSON.stringify(name)} twice: keep one of them`, item.key)
      names.add(name)
    }
    const [value, of] = isPair(item) ? [item.value, depth === 1 ? nameOf(item.key) : field] : [item, field]
    const refused = refusedIn(value, of, depth + 1)
    if (refused) return refused
  }
  return undefined
}

/** As `toJS` names it. */
function nameOf(key: unknown): string {
  return isScalar<string | number | boolean | null>(key) ? String(key.value ?? '') : ''
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}
