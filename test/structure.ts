// The floors of the house, and the checker that holds the source to them.
import { dirname, join, normalize } from 'node:path/posix'
import { readSource, type Source } from './source.ts'

const below = [
  'agent',
  'backup',
  'config',
  'doors',
  'home',
  'http',
  'mcp',
  'memory',
  'missions',
  'models',
  'net',
  'oauth',
  'reach',
  'safety',
  'sandbox',
  'skills',
  'store',
  'tools',
  'turns',
]

/** Which floors a floor may import from, besides itself. Type imports count. */
const floors: Readonly<Record<string, readonly string[]>> = {
  main: ['commands', 'prove', 'service', 'app', ...below, 'core', 'lib'],
  commands: ['prove', 'service', 'app', ...below, 'core', 'lib'],
  prove: ['service', 'app', ...below, 'core', 'lib'],
  service: ['app', ...below, 'core', 'lib'],
  app: [...below, 'core', 'lib'],
  backup: ['memory', 'store', 'home', 'core', 'lib'],
  doors: ['turns', 'memory', 'missions', 'reach', 'skills', 'safety', 'http', 'core', 'lib'],
  missions: ['turns', 'memory', 'safety', 'core', 'lib'],
  reach: ['turns', 'memory', 'safety', 'core', 'lib'],
  skills: ['turns', 'memory', 'safety', 'core', 'lib'],
  turns: ['agent', 'memory', 'safety', 'core', 'lib'],
  agent: ['safety', 'core', 'lib'],
  mcp: ['oauth', 'net', 'safety', 'core', 'lib'],
  memory: ['net', 'safety', 'core', 'lib'],
  tools: ['net', 'safety', 'core', 'lib'],
  sandbox: ['oauth', 'net', 'safety', 'core', 'lib'],
  oauth: ['net', 'safety', 'core', 'lib'],
  net: ['safety', 'core', 'lib'],
  models: ['net', 'safety', 'core', 'lib'],
  store: ['core', 'lib'],
  http: ['core', 'lib'],
  config: ['core', 'lib'],
  home: ['core', 'lib'],
  safety: ['core'],
  lib: [],
  core: [],
}

/** What several doors share; these folders import no door. */
const sharedByDoors = ['openai', 'channel']
/** Loads code that is made at run time, so it cannot name it beforehand. */
const mayCompute = 'sandbox'
const readsEnvironment = 'config.ts'
const maxLines = 400
/** Only `import type` leaves it unloaded. */
const wholeHttp = /^(import|export)\s(?!type\b)[^'"=]*['"](node:)?http['"]/m

/** The folder of the service whose types the browser app reads. Of ours it imports only the files below. */
const wire = 'doors/web/wire'
/** Pure files that the browser app loads. They import nothing, so that nothing else of the service comes with them. */
const sharedWithPage = [
  'core/failure-words.ts',
  'core/find-pattern.ts',
  'core/page-limits.ts',
  'core/turn-status.ts',
  'core/words.ts',
  'lib/evict.ts',
  'safety/printable.ts',
]
const typeImport = /^import\s+type\s[^'"]*['"]([^'"]+)['"]/gm

/** Every breach in a set of files, `path in src` -> text: a line each. */
export function findBreaches(files: ReadonlyMap<string, string>): string[] {
  const sources = new Map([...files].map(([path, text]) => [path, readSource(text)]))
  return [
    ...[...sources].flatMap(([path, source]) => breachesOf(path, source, files.get(path) ?? '')),
    ...findCircles(new Map([...sources].map(([path, source]) => [path, targetsOf(path, source)]))),
  ]
}

/** Every breach of the browser app, `path in web` -> text: it imports types of the wire and loads the shared files. */
export function findWebBreaches(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const loaded = readSource(text.replace(typeImport, '')).imports
    const types = [...text.matchAll(typeImport)].map(([, name = '']) => name)
    const leaves = (name: string): boolean =>
      name.startsWith('#') || (name.startsWith('.') && join(dirname(path), name).startsWith('..'))
    return [
      ...loaded
        .filter((name) => leaves(name) && !sharedWithPage.some((shared) => name === `#${shared}`))
        .map((name) => `${path} loads ${name}`),
      ...types
        .filter((name) => leaves(name) && dirname(normalize(name)) !== `#${wire}`)
        .map((name) => `${path} may not import ${name}`),
    ]
  })
}

function breachesOf(path: string, source: Source, text: string): string[] {
  const breaches: string[] = []
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (!floors[floorOf(path)]) breaches.push(`${path} stands on no floor`)
  if (lines > maxLines) breaches.push(`${path} has ${lines} lines, more than ${maxLines}`)
  if (source.barrel || /(^|\/)index\.[cm]?[jt]sx?$/.test(path)) breaches.push(`${path} is a barrel`)
  if (source.computed && floorOf(path) !== mayCompute) breaches.push(`${path} imports a computed name`)
  if (sharedWithPage.includes(path) && source.imports.length > 0)
    breaches.push(`${path} imports, yet the page loads it`)
  if (wholeHttp.test(text)) breaches.push(`${path} imports node:http for more than types: use #lib/http.ts`)
  if (path !== readsEnvironment && touchesEnvironment(source)) breaches.push(`${path} reads process.env`)
  for (const name of source.imports) {
    if (name.startsWith('.') && dirname(join(dirname(path), name)) !== dirname(path)) {
      breaches.push(`${path} leaves its folder by ${name}`)
    }
  }
  for (const target of targetsOf(path, source)) {
    const isOutsideWire = dirname(path) === wire && dirname(target) !== wire && !sharedWithPage.includes(target)
    if (!allowed(path, target) || isOutsideWire) {
      breaches.push(`${path} may not import ${target}`)
    }
  }
  return breaches
}

/** `doors/web/chat.ts` is on floor `doors`, `main.ts` on floor `main`. */
function floorOf(path: string): string {
  const [first = '', second] = path.split('/')
  // A file beside the doors would be a room that two of them share.
  if (first === 'doors' && path.split('/').length < 3) return 'none'
  return second === undefined ? first.replace(/\.ts$/, '') : first
}

function allowed(from: string, to: string): boolean {
  const [above, under] = [floorOf(from), floorOf(to)]
  if (above !== under) return floors[above]?.includes(under) ?? false
  const [door, other] = [from.split('/')[1], to.split('/')[1] ?? '']
  return above !== 'doors' || door === other || (sharedByDoors.includes(other) && !sharedByDoors.includes(door ?? ''))
}

/** The files of ours that a file imports. */
function targetsOf(path: string, { imports }: Source): string[] {
  return imports.flatMap((name) => {
    if (name.startsWith('#')) return [normalize(name.slice(1))]
    return name.startsWith('.') ? [join(dirname(path), name)] : []
  })
}

function touchesEnvironment({ code, imports }: Source): boolean {
  const direct = /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*(\?\.)?\s*\[|\benv\b[^{}]*\}\s*=\s*process\b/
  return direct.test(code) || (imports.some((name) => /^(node:)?process$/.test(name)) && /\benv\b/.test(code))
}

/** Each circle once, told from where it was entered. */
function findCircles(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path)
    if (seen >= 0) circles.push(`circle: ${[...trail.slice(seen), path].join(' -> ')}`)
    if (seen >= 0 || done.has(path)) return
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of targets.keys()) visit(path, [])
  return circles
}
