// The catalog of functions that a request declares: limits, kinds, and the names that the model is offered.
import { hash } from 'node:crypto'
import * as z from 'zod/mini'
import { wrongField } from '#core/errors.ts'
import { byteLength, canonical, isObject, type JsonObject } from '#core/json.ts'
import { isLong } from '#core/json-slices.ts'
import { agentPrefixes } from '#core/tool-names.ts'
import type { CallerName, ToolSpec } from '#core/tool.ts'
import { hasRawNumbers, withPlainNumbers } from '#http/lossless-json.ts'
import { check } from '#http/validate.ts'
import { jsonBytes } from './bounds.ts'
import { filled, flag, object, text, toolList } from './request-fields.ts'

const maxNameChars = 64
const drops = 'RESPONSES_FOREIGN_TOOLS=drop'

const functionType = z.literal('function', {
  error: `must be "function": the operator may set ${drops}, which leaves other kinds of tools out`,
})

export const ToolSchema = z.object(
  {
    type: functionType,
    name: text.check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, _ or -' })),
    description: z.nullish(text),
    parameters: z.nullish(object),
    strict: z.nullish(flag),
  },
  { error: 'must be an object' },
)

/** A tool of chat completions. */
const NestedSchema = z.object({ type: functionType, function: object }, { error: 'must be an object' })

/** A named group of functions. */
const NamespaceSchema = z.object({
  name: filled,
  tools: toolList,
})

export type CatalogRules = {
  /** The most bytes of canonical JSON, and the setting that raises them. */
  readonly maxBytes: number
  readonly raisedBy?: string
  /** `drop` leaves out tools that are no functions, flattens namespaces, and renames functions that have a reserved name. */
  readonly foreign: 'refuse' | 'drop'
  /** A tool has its function in the field `function`. There are no namespaces then. */
  readonly nested?: true
  /** Names of the service's enabled tools. */
  readonly registered: Pick<ReadonlySet<string>, 'has'>
}

/** `schemas` has the source text of parameters with numbers that JSON.parse would change, by the caller's name. */
export type Catalog = { readonly tools: readonly ToolSpec[]; readonly schemas: Readonly<Record<string, string>> }

/** Throws invalid_input for a request with tools. Called where the service runs without functions of the caller. */
export function refuseCallerTools(raw: Readonly<Record<string, unknown>>): void {
  const problem = 'is not supported here: this service runs without functions of the caller'
  const { tools, tool_choice: choice } = raw
  if (Array.isArray(tools) && tools.length > 0) throw wrongField('tools', problem)
  if (choice != null) throw wrongField('tool_choice', problem)
}

/** Reads the list of tools as it was sent. Throws invalid_input with the path of the tool and its field. */
export async function readCatalog(raw: readonly unknown[], rules: CatalogRules): Promise<Catalog> {
  if (raw.length === 0) return { tools: [], schemas: {} }
  const { maxBytes, raisedBy } = rules
  const bytes = isLong(raw) ? await jsonBytes(raw) : byteLength(canonical(withPlainNumbers(raw)))
  if (bytes > maxBytes) {
    const way = raisedBy === undefined ? '' : `: the operator may raise ${raisedBy}`
    throw wrongField('tools', `has ${bytes} bytes of canonical JSON, at most ${maxBytes}${way}`)
  }
  const tools: ToolSpec[] = []
  const schemas: Record<string, string> = {}
  const seen = new Set<string>()
  const offered = new Set<string>()
  for (const { path, tool, namespace } of functionsIn(raw, rules)) {
    const { name, description, parameters, strict } = check(ToolSchema, tool, path)
    const own: CallerName = { name, ...(namespace !== undefined && { namespace }) }
    const key = canonical(own)
    if (seen.has(key)) throw wrongField(`${path}.name`, `is used twice: ${name}`)
    seen.add(key)
    const shown = offeredName(own, { ...rules, offered, path })
    offered.add(shown)
    if (hasRawNumbers(parameters)) schemas[name] = JSON.stringify(parameters)
    tools.push({
      name: shown,
      description: description ?? '',
      parameters: withPlainNumbers(parameters ?? {}) as JsonObject,
      ...(strict != null && { strict }),
      ...((shown !== name || namespace !== undefined) && { own }),
    })
  }
  return { tools, schemas }
}

/** The names that the model knows a caller's functions by. A function that is not in the catalog keeps its own. */
export function namesForModel(tools: readonly ToolSpec[]): (own: CallerName) => string {
  const renamed = new Map(tools.flatMap(({ name, own }) => (own ? [[canonical(own), name]] : [])))
  return (own) => (renamed.size > 0 ? renamed.get(canonical(own)) : undefined) ?? flat(own)
}

/** The name that a caller knows one of its functions by. */
export function nameForCaller(tools: readonly ToolSpec[] | undefined, name: string): CallerName {
  return tools?.find((tool) => tool.name === name)?.own ?? { name }
}

type Found = { readonly path: string; readonly tool: unknown; readonly namespace?: string }

/** The functions of a list. With `drop`, those in namespaces too, and no tools of other kinds. */
function* functionsIn(raw: readonly unknown[], { foreign, nested }: CatalogRules): Generator<Found> {
  for (const [at, tool] of raw.entries()) {
    const path = `tools[${at}]`
    const type = isObject(tool) ? tool['type'] : undefined
    if (foreign === 'refuse' || typeof type !== 'string' || type === 'function') {
      yield nested ? unwrapped(tool, path) : { path, tool }
    } else if (type === 'namespace' && !nested) {
      const { name, tools } = check(NamespaceSchema, tool, path)
      for (const [inner, each] of tools.entries()) {
        const isFunction = !isObject(each) || typeof each['type'] !== 'string' || each['type'] === 'function'
        if (isFunction) yield { path: `${path}.tools[${inner}]`, tool: each, namespace: name }
      }
    }
  }
}

function unwrapped(tool: unknown, path: string): Found {
  const { type, function: declared } = check(NestedSchema, tool, path)
  return { path: `${path}.function`, tool: { ...declared, type } }
}

type Naming = Pick<CatalogRules, 'foreign' | 'registered'> & {
  readonly offered: Pick<ReadonlySet<string>, 'has'>
  readonly path: string
}

/** The name that the model is offered. Throws invalid_input for a reserved name, unless such functions are renamed. */
function offeredName(own: CallerName, { foreign, registered, offered, path }: Naming): string {
  const name = flat(own)
  const ours = registered.has(name) || agentPrefixes.some((prefix) => name.startsWith(prefix))
  if (ours && foreign === 'refuse') {
    const ways = `choose another, or let the operator set ${drops}, which renames it for the model`
    throw wrongField(`${path}.name`, `must not be ${name}: the service has an action of that name; ${ways}`)
  }
  const shown = ours ? `caller_${name}` : name
  if (shown.length <= maxNameChars && !offered.has(shown) && !registered.has(shown)) return shown
  const digest = hash('sha256', canonical(own)).slice(0, 8)
  return `${shown.slice(0, maxNameChars - digest.length - 1)}_${digest}`
}

/** A name without its namespace: `namespace__name`, in the characters that every provider takes. */
function flat({ name, namespace }: CallerName): string {
  return namespace === undefined ? name : `${namespace}__${name}`.replaceAll(/[^A-Za-z0-9_-]/g, '_')
}
