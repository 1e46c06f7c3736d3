// Describes a tool's access: what it may do, what it cannot, and whether it asks first. Pure.
import { maxToolMemoryMib } from '#core/page-limits.ts'
import { countWords } from '#core/words.ts'
import type { AccessRow, Tool } from '#doors/web/wire/tool.ts'

/**
 * A tool's pill: what its reader has to do first, else what the policy in force makes of its calls in a turn that has read
 * nothing from outside.
 */
export type Kind = 'reads' | 'writes' | 'asks' | 'refused' | 'danger' | 'sign_in' | 'setup'

export type Reach = { readonly may: readonly string[]; readonly cannot: readonly string[] }

export function kindOf({ effects, verdict, needs }: Pick<Tool, 'effects' | 'verdict' | 'needs'>): Kind {
  if (verdict.clean === 'deny') return 'refused'
  if (effects === 'danger') return 'danger'
  if (needs) return needs
  if (verdict.clean === 'ask') return 'asks'
  return effects === 'read' ? 'reads' : 'writes'
}

const rules = {
  allow: 'Runs unasked',
  ask: 'Asks first',
  deny: 'Refused',
  known: 'Runs unasked where you or a result named the address, else asks first',
} as const

/** The policy in force, as lines. With several kinds of calls, each line names its kind. */
export function policyLines({ policy }: { readonly policy: readonly Tool['policy'][number][] }): string[] {
  return policy.flatMap(({ calls, clean, tainted }) => {
    const of = policy.length > 1 ? `${calls}. ` : ''
    if (clean === tainted) return [`${of}${rules[clean]}`]
    return [`${of}${rules[clean]}`, `${of}After reading text from outside: ${lower(rules[tainted])}`]
  })
}

function lower(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1)
}

const changing: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']
type Group<T> = { readonly tools: readonly T[]; readonly words?: string }

/** Groups tools that share a brief into one row; the others get a row each. */
export function groupsOf<T extends Pick<Tool, 'name' | 'brief'>>(list: readonly T[]): Group<T>[] {
  return list.flatMap((tool): Group<T>[] => {
    const { brief } = tool
    if (brief === undefined) return [{ tools: [tool] }]
    const tools = list.filter((each) => each.brief === brief)
    return tools[0] === tool ? [{ tools, words: brief }] : []
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
      return `Ask you to sign in, which stores the secret ${row.secret}`
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
      return `Run its action ${row.action} without asking you: it can only send GET and HEAD`
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
    ...(requests === undefined ? [] : [countWords(requests, 'request')]),
    ...(minute === undefined ? [] : [`${countWords(minute, 'request')} a minute`]),
    ...(hour === undefined ? [] : [`${countWords(hour, 'request')} an hour`]),
  ]
  return rates.length === 0 ? '' : `, with up to ${rates.join(' and ')}`
}

function placeOf(place: Extract<AccessRow, { kind: 'secret' }>['place']): string {
  if (place.type === 'bearer') return 'as a bearer token'
  if (place.type === 'basic') return `as the password of ${place.name}`
  if (place.type === 'header') return `in the header ${place.name}`
  return place.type === 'query' ? `in the query as ${place.name}` : `in the path as {${place.name}}`
}

export function reachOf({
  source,
  may = [],
  cannot = [],
  access = [],
}: Pick<Tool, 'source' | 'may' | 'cannot' | 'access'>): Reach {
  if (source === 'built-in') return { may, cannot }
  const sends = access.filter((row) => row.kind === 'http')
  const changes = sends.some(({ methods }) => methods.some((method) => changing.includes(method)))
  const files = access.some(({ kind }) => kind === 'workspace')
  const others = access.some(({ kind }) => kind === 'tool')
  const nothing = access.length > 0 && access.every(({ kind }) => kind === 'limits')
  return {
    may: [...(nothing ? ['Reach nothing: no hosts, no secrets'] : []), ...access.map(actOf)],
    cannot: [
      sends.length === 0
        ? 'Contact any host'
        : `Contact any other host${changes ? '' : ', or send data with POST, PUT, PATCH or DELETE'}`,
      files
        ? 'Read other files, memory, other secrets or your messages'
        : 'Read files, memory, other secrets or your messages',
      ...(others ? [] : ['Run other tools']),
      `Use more than ${maxToolMemoryMib} MB of memory`,
    ],
  }
}
