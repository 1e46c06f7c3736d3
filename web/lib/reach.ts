// How far a tool reaches, in words: what it may do, what it cannot, and whether it asks first.
import type { Tool } from '#doors/web/wire/tool.ts'

/** Looks; keeps things for its user; changes anything else, so it asks; or may harm. */
export type Kind = 'reads' | 'writes' | 'asks' | 'danger'

export type Reach = { readonly kind: Kind; readonly may: readonly string[]; readonly cannot: readonly string[] }

const changing = /^sends [^/]*\b(POST|PUT|PATCH|DELETE)\b/
const publicWeb = 'Reach a private address, unless the operator lists it'
const nothingElse = 'Reach the network, files or memory'
const workspaceOnly = ['Leave the workspace folder, through a link either', 'Reach the network or memory']
const memoryOnly = ['Read or change what other users keep', 'Reach the network or files']

/** The tools that come with Atrium; docs/tools.md says the same at length. */
const builtIn: Readonly<Record<string, Reach>> = {
  time: { kind: 'reads', may: ['Tell the date, the time and the weekday'], cannot: [nothingElse] },
  calculate: { kind: 'reads', may: ['Do exact arithmetic'], cannot: [nothingElse] },
  web_fetch: {
    kind: 'reads',
    may: [
      'Read a public web page or PDF as text',
      'After reading text from outside: only addresses that you or a result named, else it asks',
    ],
    cannot: [publicWeb, 'Send data'],
  },
  http_request: {
    kind: 'asks',
    may: ['Send a request to any public web address', 'Read without asking; everything but GET and HEAD asks first'],
    cannot: [publicWeb, 'Send what looks like a credential'],
  },
  memory_search: { kind: 'reads', may: ['Find documents of your memory'], cannot: memoryOnly },
  memory_read: { kind: 'reads', may: ['Read a document of your memory'], cannot: memoryOnly },
  memory_list: { kind: 'reads', may: ['List the documents of your memory'], cannot: memoryOnly },
  memory_write: {
    kind: 'writes',
    may: ['Write documents of your memory', 'Identity files: it asks first'],
    cannot: memoryOnly,
  },
  memory_edit: {
    kind: 'writes',
    may: ['Change documents of your memory', 'Identity files: it asks first'],
    cannot: memoryOnly,
  },
  memory_delete: {
    kind: 'writes',
    may: ['Delete documents of your memory', 'Identity files: it asks first'],
    cannot: memoryOnly,
  },
  workspace_list: { kind: 'reads', may: ['List folders of the workspace'], cannot: workspaceOnly },
  workspace_read: { kind: 'reads', may: ['Read text files of the workspace'], cannot: workspaceOnly },
  workspace_search: { kind: 'reads', may: ['Search text files of the workspace'], cannot: workspaceOnly },
  workspace_write: {
    kind: 'asks',
    may: ['Write a file of the workspace, shown as a diff first'],
    cannot: workspaceOnly,
  },
  workspace_edit: {
    kind: 'asks',
    may: ['Change a file of the workspace, shown as a diff first'],
    cannot: workspaceOnly,
  },
  workspace_shell: {
    kind: 'danger',
    may: [
      'Run a command as the user of the service, each shown first',
      'Whatever that user may do: files, network, programs',
    ],
    cannot: ['Run for anybody but the operator'],
  },
}

/** The rows of built-in tools: some belong together. What the model is told of each is longer. */
const rows: readonly { readonly names: readonly string[]; readonly words: string }[] = [
  {
    names: ['workspace_list', 'workspace_read', 'workspace_search'],
    words: 'Look at files in the workspace folder',
  },
  { names: ['time'], words: 'Tells the date and the time' },
  { names: ['calculate'], words: 'Does exact arithmetic' },
  { names: ['web_fetch'], words: 'Reads a web page as text' },
  { names: ['http_request'], words: 'Sends a request to any public web address' },
  { names: ['workspace_shell'], words: 'Runs a command on this machine' },
  { names: ['workspace_write', 'workspace_edit'], words: 'Change files in the workspace folder' },
  { names: ['memory_search', 'memory_read', 'memory_list'], words: 'Find and read notes of earlier conversations' },
  { names: ['memory_write', 'memory_edit', 'memory_delete'], words: 'Keep notes between conversations' },
]

export function isGrouped(name: string): boolean {
  return rows.some(({ names }) => names.length > 1 && names.includes(name))
}

type Group<T> = { readonly tools: readonly T[]; readonly words?: string }

/** The rows of a list: each tool for itself, or with those that it belongs to. */
export function groupsOf<T extends Pick<Tool, 'name'>>(list: readonly T[]): Group<T>[] {
  return list.flatMap((tool): Group<T>[] => {
    const group = rows.find(({ names }) => names.includes(tool.name))
    if (!group) return [{ tools: [tool] }]
    const tools = list.filter(({ name }) => group.names.includes(name))
    return tools[0] === tool ? [{ tools, words: group.words }] : []
  })
}

const sending = /^sends ([A-Z, ]+) to ([^/ ]+)(\/\S*)?(.*)$/
const signing = /^uses the secret (\S+) at (.+?), (.*)$/

/** "sends GET to example.com/v1/" below "It may": "Read from `example.com`, paths under `/v1/`". */
function asAct(line: string): string {
  const [, methods, host, path = '/', more] = sending.exec(line) ?? []
  if (methods !== undefined) {
    const act = /^(GET|HEAD|, )+$/.test(methods) ? 'Read from' : `Send ${methods} to`
    return `${act} \`${host}\`${path === '/' ? '' : `, paths under \`${path}\``}${more}`
  }
  const [, secret, hosts, place] = signing.exec(line) ?? []
  if (secret !== undefined) {
    return `Send the secret \`${secret}\` to \`${hosts}\`, ${place}. It never sees the value.`
  }
  const act = line
    .replace(/^may /, '')
    .replace(/^(do|reach)es /, '$1 ')
    .replace(/^([a-z]+)s /, '$1 ')
  return act.charAt(0).toUpperCase() + act.slice(1)
}

export function reachOf({ name, source, access = [] }: Pick<Tool, 'name' | 'source' | 'access'>): Reach {
  if (source === 'built-in') return builtIn[name] ?? { kind: 'reads', may: [], cannot: [] }
  const sends = access.filter((line) => line.startsWith('sends '))
  const changes = sends.some((line) => changing.test(line))
  const files = access.some((line) => line.startsWith('reads the workspace'))
  const others = access.some((line) => line.startsWith('runs the tool'))
  return {
    kind: changes ? 'asks' : 'reads',
    may: access.map(asAct),
    cannot: [
      sends.length === 0
        ? 'Contact any host'
        : `Contact any other host${changes ? '' : ', or send data with POST, PUT, PATCH or DELETE'}`,
      files
        ? 'Read other files, memory, other secrets or your messages'
        : 'Read files, memory, other secrets or your messages',
      ...(others ? [] : ['Run other tools']),
      'Use more than 64 MB of memory',
    ],
  }
}
