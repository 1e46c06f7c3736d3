// The turn of a run: what it reads, what it may use, and how its end is told.
import type { Message, Part } from '#core/item.ts'
import type { Mission, MissionRun, RunEnd } from '#core/mission.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { withoutNuls } from '#safety/printable.ts'
import { taintOf } from '#safety/taint.ts'
import { readReply } from '#turns/job-outcome.ts'
import type { StartTurn } from '#turns/turns.ts'
import { instantWords } from './schedule-words.ts'

/** The reply of a run that has nothing to report. */
const quietReply = 'Nothing to report.'
/** Replies are truncated to this many characters: the next run reads them. */
const maxSummaryChars = 2_000
/** Entries of a turn that are searched for text from outside at a time, and pages of them. */
const pageRows = 200
const maxPages = 50

/** The turn of a run at an instant. `last` is the run before. */
export function turnOfRun(mission: Mission, at: number, last: MissionRun | undefined): StartTurn {
  const { userId: user, title, prompt, zone, tools, capUsd } = mission
  const planned = instantWords(at, zone)
  const framing = `\n\nThis is a run of your mission, planned for ${planned} (${zone}). Nobody waits at the screen: do it now and reply with the outcome. If there is nothing to report, reply with this one line and nothing else: ${quietReply}`
  const input: Message = {
    type: 'message',
    role: 'user',
    content: [
      { type: 'text', text: prompt },
      { type: 'framing', text: framing },
      ...(last ? lastParts(last, zone) : []),
    ],
  }
  return {
    user,
    door: 'mission',
    title: `${title}, ${planned}`,
    input: [input],
    options: { ...(tools && { serviceTools: tools }), ...(capUsd !== undefined && { capUsd }) },
    whenBusy: 'queue',
  }
}

/** The outcome of the last run. With outside text in it, it is fenced as such and taints this run too. */
function lastParts({ outcome, nominalAt, summary = '', origin }: MissionRun, zone: string): Part[] {
  const head = `\n\nThe last run, planned for ${instantWords(nominalAt, zone)}, ended as ${outcome ?? 'unknown'}.`
  if (summary === '') return [{ type: 'framing', text: head }]
  if (origin !== undefined) {
    return [
      { type: 'framing', text: `${head} Its outcome:\n` },
      { type: 'framing', text: summary, origin },
    ]
  }
  const fenced = summary.replaceAll(/<(?=\s{0,8}\/?\s{0,8}last-run)/gi, '[')
  return [{ type: 'framing', text: `${head} Its outcome:\n<last-run>\n${fenced}\n</last-run>` }]
}

/** How the turn of a run came to rest; undefined while it runs. Without a turn its thread was deleted. */
export async function endOfRun(
  store: Pick<Store, 'threads'>,
  turnId: string,
  turn: Turn | undefined,
): Promise<RunEnd | undefined> {
  if (!turn) return { turnId, outcome: 'failed', summary: 'Its thread was deleted.', costUsd: null, stopped: true }
  const { status, endedAt, usage, error } = turn
  if (status === 'queued' || status === 'running') return undefined
  const end = { turnId, costUsd: usage.costUsd, ...(endedAt !== undefined && { endedAt }) }
  if (status === 'waiting') return { ...end, outcome: 'waiting', summary: 'It waits for you.' }
  if (status === 'cancelled') return { ...end, outcome: 'failed', summary: 'It was stopped.', stopped: true }
  const origin = await originOf(store, turn)
  const tainted = origin === undefined ? {} : { origin: withoutNuls(origin) }
  if (status === 'failed')
    return { ...end, ...tainted, outcome: 'failed', summary: cut(error?.message ?? 'It failed.') }
  const reply = await readReply(store.threads, turn)
  const quiet = reply.trim() === quietReply
  return { ...end, ...tainted, outcome: quiet ? 'quiet' : 'ok', summary: cut(reply) }
}

/** The origin of the first text from outside that the turn has read. */
async function originOf(
  { threads }: Pick<Store, 'threads'>,
  { userId, threadId, firstSeq = 1, lastSeq = Number.MAX_SAFE_INTEGER }: Turn,
): Promise<string | undefined> {
  let after = firstSeq - 1
  for (let page = 0; page < maxPages; page++) {
    const { entries, more } = await threads.entries(userId, threadId, { after, upTo: lastSeq, limit: pageRows })
    const origin = taintOf(entries.map(({ item }) => item))
    if (origin !== undefined || !more) return origin
    after = entries.at(-1)?.seq ?? lastSeq
  }
  // Too long to read: it counts as tainted.
  return 'an earlier run'
}

/** The stored part of a text. PostgreSQL takes no NUL. */
function cut(given: string): string {
  const text = withoutNuls(given)
  return text.length <= maxSummaryChars ? text : text.slice(0, maxSummaryChars).toWellFormed()
}
