// Turns the modules of the bundle into scripts for src/lib/bundle-loader.ts: V8 gives the compiled code of a script after it
// has run, and of a module only before. A script is a function that loads what its module imports and returns what it exports.
import { isBuiltin } from 'node:module'
import { compileFunction } from 'node:vm'
import { parseAst } from 'rolldown/parseAst'

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [field: string]: unknown }
type Edit = { readonly start: number; readonly end: number; readonly text: string }
type Chunk = { readonly fileName: string; readonly code: string }

const loaderFile = './bundle-loader.mjs'
/** What the loader gives for `import.meta`. */
const metaFields: readonly unknown[] = ['dirname', 'filename', 'resolve', 'url']

/** The text of a module as a script. Throws where a script would differ from the module. */
export function scriptOf({ fileName, code }: Chunk): string {
  const { body, edits } = read(code)
  const imports: string[] = []
  const exports: string[] = []
  for (const node of body) {
    switch (node.type) {
      case 'ImportDeclaration':
        imports.push(importText(node))
        edits.push({ start: node.start, end: node.end, text: '' })
        break
      case 'ExportNamedDeclaration':
        if (node['declaration']) throw new Error(`${fileName} exports a declaration`)
        exports.push(...exportTexts(node))
        edits.push({ start: node.start, end: node.end, text: '' })
        break
      case 'ExportDefaultDeclaration': {
        const { type, start } = node['declaration'] as Node
        // As an expression it would not bind its name.
        if (type.endsWith('Declaration')) throw new Error(`${fileName} exports a declaration`)
        exports.push('default:__default')
        edits.push({ start: node.start, end: start, text: 'const __default=' })
        break
      }
      case 'ExportAllDeclaration':
        throw new Error(`${fileName} exports all of another module`)
      default:
    }
  }
  refuseChanged({ fileName, code }, body)
  const text = `(function(__load,__loadLater,__meta){"use strict";${imports.join('')}${edited(code, edits)}\nreturn{${exports.join(',')}}})`
  // A syntax that only a module has, such as `await` beside all functions.
  compileFunction(`return ${text}`, [], { filename: fileName })
  return text
}

/** Throws if a script would load itself before it has run. */
export function refuseCircles(chunks: readonly (Chunk & { readonly imports: readonly string[] })[]): void {
  const importsOf = new Map(chunks.map(({ fileName, imports }) => [fileName, imports]))
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) throw new Error(`chunks of the bundle import each other: ${[...path, name].join(', ')}`)
    if (done.has(name)) return
    for (const next of importsOf.get(name) ?? []) visit(next, [...path, name])
    done.add(name)
  }
  for (const { fileName } of chunks) visit(fileName, [])
}

/** The text of the entry, which stays a module: it loads scripts instead of other modules. */
export function entryOf({ fileName, code }: Chunk): string {
  const { body, edits } = read(code)
  if (body.some(({ type, source }) => type === 'ImportDeclaration' && !isBuiltin(nameOf(source))))
    throw new Error(`${fileName} imports a module before it runs`)
  const head = `import{loadLater as __loadLater}from"${loaderFile}";`
  return head + edited(code, edits)
}

/** The statements of a module, and the edits for what may stand anywhere: `import()` and `import.meta`. */
function read(code: string): { body: readonly Node[]; edits: Edit[] } {
  const { body } = parseAst(code) as unknown as { body: readonly Node[] }
  const edits: Edit[] = []
  for (const node of nodesAround(placesOf(/\bimport\s*[(.]/g, code), body)) {
    if (isMeta(node)) edits.push({ start: node.start, end: node.end, text: '__meta' })
    for (const value of Object.values(node)) if (isMeta(value)) refuseUnknown(node)
    if (node.type !== 'ImportExpression') continue
    const source = node['source'] as Node
    const name = literalOf(source)
    if (name?.startsWith('./'))
      edits.push({ start: node.start, end: source.end, text: `__loadLater(${quoted(name.slice(2))}` })
  }
  return { body, edits }
}

const placesOf = (wanted: RegExp, code: string): number[] => [...code.matchAll(wanted)].map(({ index }) => index)

/**
 * The nodes in which one of these places is, each before those within it: to walk through a whole module takes longer than
 * to parse it. A list: generators within each other would take most of a build.
 */
function nodesAround(places: readonly number[], value: unknown, nodes: Node[] = []): Node[] {
  if (places.length === 0) return nodes
  if (Array.isArray(value)) for (const each of value) nodesAround(places, each, nodes)
  else if (typeof value === 'object' && value !== null) {
    const { type, start, end } = value as Partial<Node>
    const isNode = type !== undefined && start !== undefined && end !== undefined
    const within = isNode ? places.filter((at) => at >= start && at < end) : places
    if (isNode && within.length > 0) nodes.push(value as Node)
    for (const each of Object.values(value)) if (typeof each === 'object') nodesAround(within, each, nodes)
  }
  return nodes
}

const isMeta = (value: unknown): value is Node => {
  const { type, meta } = (value ?? {}) as Partial<Node>
  return type === 'MetaProperty' && (meta as Node)['name'] === 'import'
}

/** Throws if a module uses a part of `import.meta` that a script does not have. */
function refuseUnknown({ type, property }: Node): void {
  const name = type === 'MemberExpression' ? nameOf(property) : ''
  if (!metaFields.includes(name)) throw new Error(`a module of the bundle uses import.meta.${name}`)
}

function importText({ source, specifiers }: Node): string {
  const name = nameOf(source)
  if (!name.startsWith('./') && !isBuiltin(name)) throw new Error(`a module of the bundle imports ${name}`)
  const from = isBuiltin(name) ? `process.getBuiltinModule(${quoted(name)})` : `__load(${quoted(name.slice(2))})`
  const names: string[] = []
  let text = ''
  for (const each of specifiers as readonly Node[]) {
    const local = nameOf(each['local'])
    // The default of one of Node's modules is the module.
    const isWhole =
      each.type === 'ImportNamespaceSpecifier' || (each.type === 'ImportDefaultSpecifier' && isBuiltin(name))
    if (isWhole) text += `const ${local}=${from};`
    else names.push(`${each.type === 'ImportDefaultSpecifier' ? 'default' : quoted(nameOf(each['imported']))}:${local}`)
  }
  if (names.length > 0) text += `const{${names.join(',')}}=${from};`
  return text === '' ? `${from};` : text
}

function exportTexts({ source, specifiers }: Node): string[] {
  const from = source ? `__load(${quoted(nameOf(source).slice(2))})` : ''
  return (specifiers as readonly Node[]).map(({ local, exported }) => {
    const value = source ? `${from}[${quoted(nameOf(local))}]` : nameOf(local)
    return `${quoted(nameOf(exported))}:${value}`
  })
}

/** A module sees each new value of what another exports, a script the value at its end. */
function refuseChanged({ fileName, code }: Chunk, body: readonly Node[]): void {
  const exported = new Set(
    body.flatMap((node) =>
      node.type === 'ExportNamedDeclaration' ? (node['specifiers'] as Node[]).map(({ local }) => nameOf(local)) : [],
    ),
  )
  const variables = body.flatMap((node) =>
    node.type === 'VariableDeclaration' && node['kind'] !== 'const'
      ? (node['declarations'] as Node[]).flatMap(({ id }) => namesIn(id))
      : [],
  )
  const changeable = variables.filter((name) => exported.has(name))
  if (changeable.length === 0) return
  const names = new RegExp(changeable.map((name) => RegExp.escape(name)).join('|'), 'g')
  for (const node of nodesAround(placesOf(names, code), body)) {
    if (!changing.has(node.type)) continue
    const changed = namesIn(node['left'] ?? node['argument']).find((name) => changeable.includes(name))
    if (changed !== undefined) throw new Error(`${fileName} exports ${changed} and changes it`)
  }
}

const changing = new Set(['AssignmentExpression', 'UpdateExpression', 'ForInStatement', 'ForOfStatement'])

/** The variables of a target: a name, or a pattern of names. */
function namesIn(target: unknown): string[] {
  const { type, name, left, value, argument, elements, properties } = (target ?? {}) as Partial<Node>
  if (type === 'Identifier') return [String(name)]
  const parts = [left, argument, ...((elements ?? properties ?? []) as unknown[])]
  if (type === 'Property') parts.push(value)
  return type === 'MemberExpression' ? [] : parts.flatMap((part) => (part ? namesIn(part) : []))
}

function edited(code: string, edits: readonly Edit[]): string {
  let text = ''
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    text += code.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return text + code.slice(at)
}

/** The name of an identifier, or the text of a literal. */
function nameOf(node: unknown): string {
  const { name, value } = node as { readonly name?: string; readonly value?: string }
  return name ?? value ?? ''
}

/** The text of a literal or of a template without values. */
function literalOf(node: Node): string | undefined {
  if (node.type === 'Literal') return String(node['value'])
  const [first, ...more] = node.type === 'TemplateLiteral' ? (node['quasis'] as Node[]) : []
  return first && more.length === 0 ? (first['value'] as { cooked: string }).cooked : undefined
}

const quoted = (text: string): string => JSON.stringify(text)
