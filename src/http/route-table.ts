// Finds the route of a request: a tree of the segments of all paths. The routes of a door can be added with the first
// request to them, so that a start loads no door.
import { nextTurn } from '#lib/pace.ts'
import { defaultMaxBodyBytes } from './body.ts'
import type { FaultBody } from './reply.ts'
import { methods, type Route, type RouteFamily } from './routes.ts'

/** The largest body of a route that needs no credential. */
const maxAnonymousBodyBytes = 16 * 1024

/** A route with what its family shares. */
export type Mounted = Omit<RouteFamily, 'routes' | 'prefixes'> & {
  readonly route: Route
  readonly maxBodyBytes: number
}

export type Found = Mounted & { readonly params: Readonly<Record<string, string>> }

export type RouteTable = {
  readonly add: (family: RouteFamily) => void
  /**
   * Adds families with the first request to one of `prefixes`; all of their paths begin with one of these. `load` returns
   * what makes them: loading, making and serving get a turn of the event loop each. `faultBody` is the shape of errors
   * below them before that.
   */
  readonly addLater: (prefixes: readonly string[], load: LoadFamilies, faultBody?: FaultBody) => void
  /** The route of a path among those that are added. GET routes answer HEAD too. */
  find(method: string, path: string): Found | undefined
  /** Adds the routes that wait for a request to this path. False if there are none. */
  load(path: string): Promise<boolean>
  /** The shape of errors at a path, whether it has a route or not. */
  faultBodyOf(path: string): FaultBody | undefined
  /** The methods that a path takes, of what is added, to tell a wrong method from a wrong path. */
  methodsOf(path: string): string[]
  /** Every route with its full path; loads those that are not added yet. */
  readonly routes: () => Promise<readonly Route[]>
}

type LoadFamilies = () => Promise<() => readonly RouteFamily[]>
type Methods = Map<string, Mounted>
type Node = {
  readonly children: Map<string, Node>
  /** Rows whose path ends here. */
  readonly rows: Methods
  /** Rows whose path goes on with `*`. */
  readonly rest: Methods
  /** The node of a parameter: any one segment. */
  param?: Node
  faultBody?: FaultBody
  later?: Later
}
type Later = { readonly load: LoadFamilies; loading?: Promise<void>; done?: true }

export function createRouteTable(): RouteTable {
  const root = newNode()
  const laters: Later[] = []
  const routes: Route[] = []

  function add({ routes: rows, prefixes = [''], ...shared }: RouteFamily): void {
    for (const prefix of prefixes) {
      if (shared.faultBody) nodeOf(root, prefix).faultBody = shared.faultBody
      for (const row of rows) {
        const route = { ...row, path: prefix + row.path }
        const { who, method } = row
        const maxBodyBytes = row.maxBodyBytes ?? (who === 'anyone' ? maxAnonymousBodyBytes : defaultMaxBodyBytes)
        const taken = methodsAt(root, route.path)
        if (taken.has(method)) throw new Error(`${method} ${route.path} is mounted twice`)
        taken.set(method, { ...shared, route, maxBodyBytes })
        routes.push(route)
      }
    }
  }

  async function run(later: Later): Promise<void> {
    if (later.done) return
    // A failed load is tried again by the next request.
    later.loading ??= addLoaded(later).finally(() => {
      delete later.loading
    })
    await later.loading
  }

  async function addLoaded(later: Later): Promise<void> {
    await nextTurn()
    const make = await later.load()
    await nextTurn()
    make().forEach(add)
    later.done = true
    await nextTurn()
  }

  return {
    add,
    addLater(prefixes, load, faultBody) {
      const later = { load }
      laters.push(later)
      for (const prefix of prefixes) Object.assign(nodeOf(root, prefix), { later, ...(faultBody && { faultBody }) })
    },
    find(method, path) {
      const values: string[] = []
      const mounted = match(root, { segments: segmentsOf(path), method: method === 'HEAD' ? 'GET' : method, values }, 0)
      return mounted && { ...mounted, params: paramsOf(mounted.route.path, values) }
    },
    async load(path) {
      const later = nearest(root, path, 'later')
      if (!later || later.done) return false
      await run(later)
      return true
    },
    faultBodyOf: (path) => nearest(root, path, 'faultBody'),
    methodsOf(path) {
      const segments = segmentsOf(path)
      return methods.flatMap((method) => {
        const route = match(root, { segments, method, values: [] }, 0)?.route
        if (!route || route.refuses) return []
        return method === 'GET' ? ['GET', 'HEAD'] : [method]
      })
    },
    async routes() {
      await Promise.all(laters.map(run))
      return routes
    },
  }
}

function newNode(): Node {
  return { children: new Map(), rows: new Map(), rest: new Map() }
}

/** The decoded segments of a path: `/a%20b/c` -> 'a b', 'c'. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1)
  return path.includes('%') ? segments.map(decodeURIComponent) : segments
}

/** The first decoded segment of a path; as it is if it cannot be decoded. */
export function firstSegmentOf(path: string): string {
  const [, first = ''] = path.split('/', 2)
  try {
    return decodeURIComponent(first)
  } catch {
    return first
  }
}

/** The node of a path of a row, made if need be. */
function nodeOf(root: Node, path: string): Node {
  return path
    .split('/')
    .slice(1)
    .reduce((node, segment) => {
      if (segment.startsWith(':')) return (node.param ??= newNode())
      const child = node.children.get(segment) ?? newNode()
      node.children.set(segment, child)
      return child
    }, root)
}

function methodsAt(root: Node, path: string): Methods {
  return path.endsWith('/*') ? nodeOf(root, path.slice(0, -2)).rest : nodeOf(root, path).rows
}

type Wanted = { readonly segments: readonly string[]; readonly method: string; readonly values: string[] }

/** A fixed segment goes before a parameter, and a parameter before `*`. `values` gets what parameters and `*` match. */
function match(node: Node, wanted: Wanted, at: number): Mounted | undefined {
  const { segments, method, values } = wanted
  const segment = segments[at]
  if (segment === undefined) return node.rows.get(method)
  const child = node.children.get(segment)
  const fixed = child && match(child, wanted, at + 1)
  if (fixed) return fixed
  if (node.param && segment !== '') {
    const known = values.push(segment)
    const found = match(node.param, wanted, at + 1)
    if (found) return found
    values.length = known - 1
  }
  const rest = node.rest.get(method)
  if (rest) values.push(segments.slice(at).join('/'))
  return rest
}

/** `/a/:id/*` with 'x' and 'y/z' -> { id: 'x', '*': 'y/z' } */
function paramsOf(path: string, values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  if (values.length === 0) return params
  const names = path.split('/').filter((segment) => segment.startsWith(':') || segment === '*')
  for (const [at, name] of names.entries()) params[name.replace(':', '')] = values[at] ?? ''
  return params
}

/** A property of the deepest node on the fixed way to a path that has it. */
function nearest<Key extends 'later' | 'faultBody'>(root: Node, path: string, key: Key): Node[Key] {
  let node: Node | undefined = root
  let found = root[key]
  for (const segment of segmentsOf(path)) {
    node = node.children.get(segment)
    if (!node) break
    found = node[key] ?? found
  }
  return found
}
