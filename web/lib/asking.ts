// An approval in words: the question, where it goes, what would run. Pure; everything in it is text of others.
import type { GateFields } from '#doors/web/wire/gate.ts'

/** Letters of arguments that stand on one line, on a phone as well. */
const maxOnLine = 60

export type Preview =
  | { readonly type: 'request'; readonly method: string; readonly url: string; readonly rest: string }
  | { readonly type: 'diff'; readonly isNew: boolean; readonly path: string; readonly lines: readonly DiffLine[] }
  | { readonly type: 'command'; readonly command: string; readonly rest: string }
  | { readonly type: 'text'; readonly head: string; readonly text: string }

export type DiffLine = { readonly sign: ' ' | '+' | '-' | '@'; readonly at?: number; readonly text: string }

export type Asking = {
  /** A question with verb and object. */
  readonly question: string
  /** The part of the question that is code. */
  readonly code?: string
  /** The same in a few words, for a list. */
  readonly brief: string
  /** Where it goes, and that nothing has happened yet. */
  readonly sentence: string
  /** The part of the sentence that must not be overlooked. */
  readonly host?: string
  readonly preview: Preview | undefined
  /** What "Allow for…" can stand for, from narrow to wide. */
  readonly scopes: readonly Scope[]
}

export type Scope = { readonly scope: 'file' | 'target' | 'tool'; readonly words: string }

/** What a gate asks, in words. */
export function askingOf(gate: GateFields): Asking {
  const args = fieldsOf(gate.args)
  const { name } = gate
  if (gate.kind === 'credential') return signIn(gate)
  if (name === 'workspace_write' || name === 'workspace_edit') return fileChange(gate, args)
  if (name === 'workspace_shell') return command(gate, args)
  if (name === 'http_request' || name === 'web_fetch') return request(gate, args)
  if (name.startsWith('memory_')) return memory(gate, args)
  return {
    question: `Run ${name}?`,
    brief: `Run ${name}`,
    sentence: 'Nothing has happened yet.',
    preview: previewOf(gate),
    scopes: [{ scope: 'tool', words: 'whatever it is given' }],
  }
}

/** Where a sign-in leads, by the name that people know. */
export function signInName({ name, credential }: GateFields): string {
  return credential?.title ?? credential?.tool ?? name
}

function signIn(gate: GateFields): Asking {
  const { name: call, prompt, credential } = gate
  const name = signInName(gate)
  const lacks = prompt.includes(' refused ') ? 'was refused' : 'is not set'
  return {
    question: `Sign in to ${name}?`,
    brief: `Sign in to ${name}`,
    sentence: `${call} needs ${credential?.secret ?? 'a secret'}, which ${lacks}. Nothing has happened yet; the turn goes on once you have signed in.`,
    preview: undefined,
    scopes: [],
  }
}

function fileChange(gate: GateFields, args: Fields): Asking {
  const path = text(args['path'])
  const preview = previewOf(gate)
  const isNew = preview?.type === 'diff' && preview.isNew
  return {
    question: `${isNew ? 'Create' : 'Change'} ${path}?`,
    brief: isNew ? 'Create a file' : 'Change a file',
    sentence: `${changeWords(preview)} The file is untouched until you answer.`,
    preview,
    scopes: pathScopes(path, 'anywhere in the workspace'),
  }
}

/** The file, its folder, all of them. */
function pathScopes(path: string, all: string): Scope[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return [
    { scope: 'file', words: `on ${path}` },
    // A folder stands for what is below it: the first one would be all of them.
    ...(folder ? [{ scope: 'target' as const, words: `in ${folder}` }] : []),
    { scope: 'tool', words: all },
  ]
}

function changeWords(preview: Preview | undefined): string {
  if (preview?.type !== 'diff') return 'Changes a file in the workspace folder.'
  const out = preview.lines.filter(({ sign }) => sign === '-').length
  const into = preview.lines.filter(({ sign }) => sign === '+').length
  const lines = (count: number): string => `${count} ${count === 1 ? 'line' : 'lines'}`
  if (preview.isNew) return `Writes ${lines(into)} to a new file in the workspace folder.`
  if (out === 0) return `Adds ${lines(into)} in the workspace folder.`
  if (into === 0) return `Removes ${lines(out)} in the workspace folder.`
  return `Replaces ${lines(out)} with ${into} in the workspace folder.`
}

function command(gate: GateFields, args: Fields): Asking {
  const line = text(args['command'])
  const first = line.trim().split(/\s/, 1)[0] ?? ''
  const short = line.length <= 60 && !line.includes('\n')
  return {
    question: short ? `Run ${line}?` : `Run a command that begins with ${first}?`,
    code: short ? line : first,
    brief: short ? `Run ${line}` : `Run ${first} …`,
    sentence: 'Runs this command in the workspace folder of this machine. Nothing has run yet.',
    preview: previewOf(gate),
    scopes: [
      { scope: 'target', words: `for ${first}` },
      { scope: 'tool', words: 'for any command' },
    ],
  }
}

/** What a request to a repository does, by the end of its address. */
const gitHubActs: ReadonlyMap<string, string> = new Map([
  ['issues', 'Open an issue'],
  ['pulls', 'Open a pull request'],
  ['releases', 'Publish a release'],
])

function request(gate: GateFields, args: Fields): Asking {
  const url = text(args['url'])
  const host = hostOf(url)
  const method = (text(args['method']) || 'GET').toUpperCase()
  const reads = method === 'GET' || method === 'HEAD'
  const [, repository = '', what = ''] =
    (method === 'POST' && /^https:\/\/api\.github\.com\/repos\/([\w.-]+\/[\w.-]+)\/(\w+)$/.exec(url)) || []
  const act = gitHubActs.get(what)
  return {
    ...(act === undefined
      ? {
          question: reads ? `Open a page of ${host}?` : `Send a ${method} request to ${host}?`,
          brief: reads ? `Open a page of ${host}` : `Send a request to ${host}`,
        }
      : { question: `${act} in ${repository} on GitHub?`, brief: `${act} on GitHub` }),
    sentence: `Sends this request to ${host}. Nothing has been sent yet.`,
    host,
    preview: previewOf(gate) ?? { type: 'request', method, url, rest: '' },
    scopes: [
      { scope: 'target', words: `to ${host}` },
      { scope: 'tool', words: 'to any host' },
    ],
  }
}

function memory(gate: GateFields, args: Fields): Asking {
  const path = text(args['path'])
  const deletes = gate.name === 'memory_delete'
  return {
    question: `${deletes ? 'Delete' : 'Write'} memory ${path}?`,
    brief: `${deletes ? 'Delete' : 'Write'} memory: ${path}`,
    sentence: 'The document is untouched until you answer.',
    preview: previewOf(gate),
    scopes: pathScopes(path, 'on any document'),
  }
}

/** The tool's own description where it has one, else its arguments. Never cut. */
function previewOf({ name, args, preview }: GateFields): Preview | undefined {
  if (preview === undefined) return { type: 'text', head: name, text: pretty(args) }
  if (preview.startsWith('--- ')) return diffOf(preview)
  const request = /^([A-Z]+) (https?:\/\/\S+)(?:\n([\s\S]*))?$/.exec(preview)
  if (request)
    return { type: 'request', method: request[1] ?? '', url: request[2] ?? '', rest: (request[3] ?? '').trim() }
  const run = /^\$ ([\s\S]*?)(?:\n(\([^\n]*\)))?$/.exec(preview)
  if (run) return { type: 'command', command: run[1] ?? '', rest: run[2] ?? '' }
  return { type: 'text', head: name, text: preview }
}

function diffOf(text: string): Preview {
  const lines: DiffLine[] = []
  let path = ''
  let [before, after] = [0, 0]
  for (const line of text.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line)
    if (lines.length === 0 && /^(---|\+\+\+) /.test(line)) path = line.slice(4)
    else if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      if (lines.length > 0) lines.push({ sign: '@', text: '' })
    } else if (line.startsWith('+')) lines.push({ sign: '+', at: after++, text: line.slice(1) })
    else if (line.startsWith('-')) lines.push({ sign: '-', at: before++, text: line.slice(1) })
    else if (line.startsWith(' ')) {
      lines.push({ sign: ' ', at: after++, text: line.slice(1) })
      before++
    } else lines.push({ sign: '@', text: line })
  }
  return { type: 'diff', isNew: text.startsWith('--- /dev/null\n'), path, lines }
}

/**
 * Why somebody is asked: what the call does, and what was read before it. The card names the tool: here it is "it".
 * After that it can only be allowed once.
 */
export function whyAsked({ name, reason = '', taint }: GateFields): string {
  const does = reason.startsWith(`${name} `) ? `it${reason.slice(name.length)}` : reason
  const words =
    taint === undefined ? does : does.replace(`the model has read ${taint}`, `this thread has read ${readWords(taint)}`)
  const once = taint === undefined ? '' : '. It can only be allowed once.'
  return words.charAt(0).toUpperCase() + words.slice(1) + once
}

/** What came from outside: of a page its host. */
function readWords(taint: string): string {
  return /^https?:\/\//.test(taint) ? `a page from ${hostOf(taint)}` : taint
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(args: unknown): Fields {
  return typeof args === 'object' && args !== null ? (args as Fields) : {}
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}

/** Arguments as a person reads them: few of them on one line. */
export function pretty(args: unknown): string {
  if (typeof args === 'string') return args
  const whole = JSON.stringify(args, undefined, 2)
  const line = whole.replaceAll(/\n */g, ' ')
  return line.length <= maxOnLine ? line : whole
}
