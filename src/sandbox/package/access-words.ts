// The rights of a tool as text for the command line.
import type { AccessRow } from '#core/admin.ts'
import { numberWords } from '#core/words.ts'
import { accessRows, withoutRightsOf } from './access.ts'
import type { Capabilities } from './capabilities.ts'

/** One line for each right: hosts, secrets, variables, folders, other tools. Each line goes on from "It". */
export function describeAccess(capabilities: Capabilities): string[] {
  return describeRows(accessRows(capabilities))
}

export function describeRows(rows: readonly AccessRow[]): string[] {
  const lines = rows.map(rowText)
  return rows.every(({ kind }) => kind === 'limits') ? ['reaches nothing: no hosts, no secrets', ...lines] : lines
}

/** The rights that an update would add; empty when it asks for nothing new. A part of an earlier right is not new. */
export function addedRights(before: Capabilities, after: Capabilities): string[] {
  const lines = new Set(accessRows(before).map(rowText))
  const added = accessRows(withoutRightsOf(before, after))
    .map(rowText)
    .filter((line) => !lines.has(line))
  return after.allowlist.length === 0 ? added : [...added, ...fasterRates(before.rateLimit, after.rateLimit)]
}

function fasterRates(before: Capabilities['rateLimit'], after: Capabilities['rateLimit']): string[] {
  const rates = [
    ['minute', before.perMinute, after.perMinute],
    ['hour', before.perHour, after.perHour],
  ] as const
  return rates
    .filter(([, old, now]) => (now ?? Number.POSITIVE_INFINITY) > (old ?? Number.POSITIVE_INFINITY))
    .map(([word, old, now]) => `sends ${now ?? 'any number of'} requests per ${word}, no longer at most ${old}`)
}

function rowText(row: AccessRow): string {
  switch (row.kind) {
    case 'http':
      return `sends ${row.methods.join(', ')} to ${row.host}${row.path}${row.near ? ` (${nearText[row.near]})` : ''}`
    case 'secret':
      return `uses the secret ${row.secret} at ${row.hosts.join(', ')}, ${placeText(row.place)}`
    case 'secret_known':
      return `may ask whether the secret ${row.secret} is set`
    case 'setup':
      return `needs the secret ${row.secret} at set-up${row.optional ? ' (optional)' : ''}`
    case 'auth':
      return `asks you to sign in, which stores the secret ${row.secret}`
    case 'page':
      return `sends you to ${row.url} for it`
    case 'env':
      return `reads the environment variable ${row.variable} as ${useText[row.use]}${row.secret === undefined ? '' : ` ${row.secret}`}`
    case 'sign_in':
      return `signs in at ${row.url}, tokens from ${row.tokens}${row.client === undefined ? '' : `, as the client ${row.client}`}`
    case 'scope':
      return `asks for the scope ${row.scope} at sign-in`
    case 'workspace':
      return `reads the workspace folder ${row.folder}`
    case 'tool':
      return `runs the tool ${row.tool}`
    case 'action':
      return `runs its action ${row.action} without asking you: it can only send GET and HEAD`
    case 'limits':
      return `runs up to ${row.seconds} seconds at a time${rateText(row)}`
    case 'unreadable':
      return `is left out: its capability file cannot be read (${row.reason})`
    default:
      return row satisfies never
  }
}

const nearText = { machine: 'this machine', network: 'a private network' } as const
const useText = { secret: 'the secret', client_id: 'the client id', client_secret: 'the client secret' } as const

function rateText({ minute, hour, requests }: Extract<AccessRow, { kind: 'limits' }>): string {
  const rates = [
    ...(requests === undefined ? [] : [`${numberWords(requests)} requests`]),
    ...(minute === undefined ? [] : [`${numberWords(minute)} requests a minute`]),
    ...(hour === undefined ? [] : [`${numberWords(hour)} requests an hour`]),
  ]
  return rates.length === 0 ? '' : `, with up to ${rates.join(' and ')}`
}

function placeText(place: Extract<AccessRow, { kind: 'secret' }>['place']): string {
  switch (place.type) {
    case 'bearer':
      return 'as a bearer token'
    case 'basic':
      return `as the password of ${place.name}`
    case 'header':
      return `in the header ${place.name}`
    case 'query':
      return `in the query as ${place.name}`
    case 'path':
      return `in the path as {${place.name}}`
    default:
      return place satisfies never
  }
}
