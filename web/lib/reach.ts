// How far a tool reaches, in words: what it may do, what it cannot, and whether it asks first.
import type { AccessRow, Tool } from '#doors/web/wire/tool.ts'
import { countText } from './words.ts'

/** Looks; keeps things for its user; changes anything else, so it asks; or may harm. */
export type Kind = 'reads' | 'writes' | 'asks' | 'danger'

export type Reach = { readonly kind: Kind; readonly may: readonly string[]; readonly cannot: readonly string[] }

const changing: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']
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

/** One row below "It may": "Read from `example.com`, paths under `/v1/`". */
function actOf(row: AccessRow): string {
  switch (row.kind) {
    case 'http': {
      const looks = row.methods.every((method) => method === 'GET' || method === 'HEAD')
      const act = looks ? 'Read from' : `Send ${row.methods.join(', ')} to`
      const under = row.path === '/' ? '' : `, paths under \`${row.path}\``
      return `${act} \`${row.host}\`${under}${row.near ? ` (${near[row.near]})` : ''}`
    }
    case 'secret':
      return `Send the secret \`${row.secret}\` to \`${row.hosts.join(', ')}\`, ${placeOf(row.place)}. It never sees the value.`
    case 'secret_known':
      return `Ask whether the secret ${row.secret} is set`
    case 'setup':
      return `Need the secret ${row.secret} at set-up${row.optional ? ' (optional)' : ''}`
    case 'auth':
      return `Take the secret ${row.secret} by tool auth`
    case 'page':
      return `Send you to ${row.url} for it`
    case 'env':
      return `Read the environment variable ${row.variable} as ${uses[row.use]}${row.secret === undefined ? '' : ` ${row.secret}`}`
    case 'sign_in':
      return `Sign in at ${row.url}, tokens from ${row.tokens}${row.client === undefined ? '' : `, as the client ${row.client}`}`
    case 'scope':
      return `Ask for the scope ${row.scope} at sign-in`
    case 'workspace':
      return `Read the workspace folder ${row.folder}`
    case 'tool':
      return `Run the tool ${row.tool}`
    case 'action':
      return `Do ${row.action} without being asked for: it may only send GET and HEAD`
    case 'limits':
      return `Run up to ${row.seconds} seconds at a time${ratesOf(row)}`
    case 'unreadable':
      return `Nothing: it is left out, its capability file cannot be read (${row.reason})`
    default:
      return row satisfies never
  }
}

const near = { machine: 'this machine', network: 'a private network' } as const
const uses = { secret: 'the secret', client_id: 'the client id', client_secret: 'the client secret' } as const

function ratesOf({ minute, hour, requests }: Extract<AccessRow, { kind: 'limits' }>): string {
  const rates = [
    ...(requests === undefined ? [] : [countText(requests, 'request')]),
    ...(minute === undefined ? [] : [`${countText(minute, 'request')} a minute`]),
    ...(hour === undefined ? [] : [`${countText(hour, 'request')} an hour`]),
  ]
  return rates.length === 0 ? '' : `, with up to ${rates.join(' and ')}`
}

function placeOf(place: Extract<AccessRow, { kind: 'secret' }>['place']): string {
  if (place.type === 'bearer') return 'as a bearer token'
  if (place.type === 'basic') return `as the password of ${place.name}`
  if (place.type === 'header') return `in the header ${place.name}`
  return place.type === 'query' ? `in the query as ${place.name}` : `in the path as {${place.name}}`
}

export function reachOf({ name, source, access = [] }: Pick<Tool, 'name' | 'source' | 'access'>): Reach {
  if (source === 'built-in') return builtIn[name] ?? { kind: 'reads', may: [], cannot: [] }
  const sends = access.filter((row) => row.kind === 'http')
  const changes = sends.some(({ methods }) => methods.some((method) => changing.includes(method)))
  const files = access.some(({ kind }) => kind === 'workspace')
  const others = access.some(({ kind }) => kind === 'tool')
  const nothing = access.length > 0 && access.every(({ kind }) => kind === 'limits')
  return {
    kind: changes ? 'asks' : 'reads',
    may: [...(nothing ? ['Reach nothing: no hosts, no secrets'] : []), ...access.map(actOf)],
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
