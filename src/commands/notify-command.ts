// `atrium notify`: how the operator is told of news, in the running service or in this process.
import { AppError } from '#core/errors.ts'
import type { NotificationRequest, NotificationsJson, TestedJson, WayJson } from '#reach/notification-request.ts'
import { printable } from '#safety/printable.ts'
import { print, table } from './report.ts'
import { askOperator } from './running-service.ts'

type Options = { readonly json?: boolean }

export async function listWays(options: Options): Promise<void> {
  const found = (await ask({ do: 'list' })) as NotificationsJson
  const { ways, removed, quiet } = found
  const rows = ways.map(({ id, kind, label, url, events, content }) => [
    id,
    kind,
    printable(kind === 'ntfy' ? (url ?? label) : label),
    events.join(', ') || 'none',
    content ? 'with content' : 'titles only',
  ])
  const lines = [
    rows.length > 0
      ? table([['WAY', 'KIND', 'WHERE', 'EVENTS', 'MESSAGES'], ...rows])
      : 'No ways yet. Add one: atrium notify add ntfy https://ntfy.sh/TOPIC',
    ...(quiet ? [`Quiet from ${quiet.from} to ${quiet.to} (${printable(quiet.zone)})`] : []),
    ...removed.map(
      ({ kind, label, because }) => `Removed: ${kind} at ${printable(label)}, because ${printable(because)}`,
    ),
  ]
  print(options, found, lines.join('\n'))
}

export async function addWay(
  kind: string,
  url: string | undefined,
  options: Options & { readonly events?: string; readonly content?: boolean },
): Promise<void> {
  if (kind !== 'ntfy') {
    const others = new Map([
      ['telegram', 'telegram is added by atrium telegram pair'],
      ['push', 'push is added by the Settings page of the browser'],
    ])
    const known = others.get(kind)
    throw new AppError('invalid_input', known ?? `a way is ntfy, not ${kind}; ${[...others.values()].join(', ')}`)
  }
  if (url === undefined)
    throw new AppError(
      'invalid_input',
      'ntfy needs the address of a topic: atrium notify add ntfy https://ntfy.sh/TOPIC',
    )
  const events = options.events?.split(',').map((name) => name.trim())
  const { content } = options
  // What is left out stays as it was chosen for this address.
  const way = { kind, url, ...(content !== undefined && { content }), ...(events && { events }) }
  const { before, added } = await askOperator('atrium notify list', async (client) => ({
    before: (await client.notifications({ do: 'list' })) as NotificationsJson,
    added: (await client.notifications({ do: 'add', way })) as WayJson,
  }))
  const { id } = added
  const known = before.ways.some((each) => each.id === id)
  const told = added.events.join(', ') || 'nothing'
  const first = known ? `${id} has this address already: ${told}.` : `Added ${id}: ${told}.`
  print(options, added, `${first}\nTry it: atrium notify test ${id}`)
}

export async function removeWay(id: string, options: Options): Promise<void> {
  await ask({ do: 'remove', id })
  print(options, { removed: id }, 'Removed.')
}

/** Exit code 1 when a message did not arrive, or when there is no way to send one. */
export async function testWays(id: string | undefined, options: Options): Promise<void> {
  const tested = (await ask({ do: 'test', ...(id !== undefined && { id }) })) as TestedJson[]
  const lines = tested.map(
    ({ way: { kind, label }, outcome, error }) => `${kind} at ${printable(label)}: ${resultOf(outcome, error)}`,
  )
  print(options, tested, lines.join('\n') || 'No ways yet. Add one: atrium notify add ntfy https://ntfy.sh/TOPIC')
  if (tested.length === 0 || tested.some(({ outcome }) => outcome !== 'sent')) process.exitCode = 1
}

export async function setQuiet(hours: string, options: Options & { readonly zone?: string }): Promise<void> {
  const { zone } = options
  if (hours !== 'off' && !/^\d+:\d+-\d+:\d+$/.test(hours)) {
    throw new AppError('invalid_input', `quiet hours are like 22:00-07:00, or off, not ${hours}`)
  }
  const [from = '', to] = hours.split('-')
  if (from === to)
    throw new AppError(
      'invalid_input',
      `${hours} begins and ends at once: \`atrium notify quiet off\` ends quiet hours`,
    )
  const quiet = hours === 'off' ? null : { from, to: to ?? '', ...(zone !== undefined && { zone }) }
  const found = (await ask({ do: 'quiet', quiet })) as NotificationsJson
  const now = found.quiet
  const words = now ? `Quiet from ${now.from} to ${now.to} (${printable(now.zone)}).` : 'Quiet hours are off.'
  print(options, found.quiet, words)
}

function resultOf(outcome: TestedJson['outcome'], error: string | undefined): string {
  const why = error === undefined ? '' : `: ${printable(error)}`
  switch (outcome) {
    case 'sent':
      return 'sent'
    case 'gone':
      return `removed, it is gone${why}`
    case 'unknown':
      return `it may have arrived${why}`
    case 'later':
    case 'refused':
      return `not sent${why}`
    default:
      return outcome satisfies never
  }
}

function ask(request: NotificationRequest): Promise<unknown> {
  return askOperator('atrium notify list', (client) => client.notifications(request))
}
