// A thread as a file: JSON, which can be imported again, or Markdown for people. It is read and written in parts, however
// long the thread is. Gates, attempts, summaries and framings are left out: they say how the answers came about, not what they are.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { type Entry, isRemoved, type Item, type OwnPart, ownParts } from '#core/item.ts'
import { jsonInSlices, textInSlices } from '#core/json-slices.ts'
import type { ThreadStore } from '#core/thread-store.ts'
import type { Thread } from '#core/turn.ts'
import { pace } from '#lib/pace.ts'
import { isoTime } from '#core/time.ts'

export const exportFormats = ['json', 'markdown'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** The first field of an exported file. */
export const exportName = 'atrium-thread'
export const exportVersion = 1

/** Bounds of one read. */
const pageEntries = 200
const pageBytes = 2 * 1024 * 1024
/** The texts of a page are joined to parts of this size. */
const minPartChars = 64 * 1024
/** Characters of a tool's arguments or output that Markdown shows. */
const maxShownChars = 4_000

type Source = { readonly threads: Pick<ThreadStore, 'entries'>; readonly user: UserId; readonly thread: Thread }

/** The text of the file, in parts. */
export async function* exportThread(source: Source, format: ExportFormat): AsyncGenerator<string> {
  const { thread } = source
  yield format === 'json' ? jsonHead(thread) : `# ${oneLine(thread.title) || 'Untitled'}\n`
  let isFirst = true
  for await (const entries of pagesOf(source)) {
    let text = ''
    for (const entry of entries) {
      const item = format === 'json' ? exportedItem(entry) : markdownOf(entry.item)
      if (item === undefined || isRemoved(entry.item)) continue
      if (format === 'json') text += isFirst ? '\n' : ',\n'
      isFirst = false
      for (const slice of typeof item === 'string' ? textInSlices(item) : jsonInSlices(item)) {
        text += slice
        if (text.length < minPartChars) continue
        yield text
        text = ''
        await pace()
      }
    }
    if (text !== '') yield text
  }
  if (format === 'json') yield '\n]}\n'
}

/** The name of the file: the title in letters that every system takes. */
export function exportFileName({ title }: Pick<Thread, 'title'>, format: ExportFormat): string {
  const name = title
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-|-$/g, '')
  return `${name || 'thread'}.${format === 'json' ? 'json' : 'md'}`
}

/** All entries up to the last one that the thread had at the beginning. */
async function* pagesOf({ threads, user, thread }: Source): AsyncGenerator<readonly Entry[]> {
  let after = 0
  while (after < thread.lastSeq) {
    const range = { after, upTo: thread.lastSeq, limit: pageEntries, maxBytes: pageBytes }
    const { entries } = await threads.entries(user, thread.id, range)
    // The thread was deleted meanwhile: the file must not look complete.
    if (entries.length === 0) throw new AppError('not_found', `thread ${thread.id} was deleted during its export`)
    yield entries
    after = entries.at(-1)?.seq ?? thread.lastSeq
  }
}

function jsonHead({ title, door, createdAt, updatedAt }: Thread): string {
  const head = {
    format: exportName,
    version: exportVersion,
    title,
    door,
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
  }
  return `${JSON.stringify(head).slice(0, -1)},"items":[`
}

function exportedItem({ item, at, seq }: Entry): object | undefined {
  const head = { seq, at: isoTime(at), type: item.type }
  if (item.type === 'message') {
    const { role, cut } = item
    return { ...head, role, content: ownParts(item), ...(cut && { cut }) }
  }
  if (item.type === 'reasoning') return { ...head, text: item.text }
  if (item.type === 'call') return { ...head, call_id: item.callId, name: item.name, args: item.args }
  if (item.type === 'result') {
    const { callId, output, images, error, origin } = item
    return {
      ...head,
      call_id: callId,
      output,
      ...(images && { images }),
      ...(error && { error }),
      ...(origin && { origin }),
    }
  }
  if (item.type !== 'answer' || item.decision !== 'output') return undefined
  const { callId, output = '', images } = item
  return { ...head, type: 'result', call_id: callId, output, ...(images && { images }) }
}

function markdownOf(item: Item): string {
  if (item.type === 'message') {
    return `\n## ${item.role === 'user' ? 'You' : 'Atrium'}\n\n${ownParts(item).map(partText).join('\n\n')}\n`
  }
  if (item.type === 'call') return `\n**${oneLine(item.name)}**\n\n${fenced(item.args)}\n`
  if (item.type === 'result') return `\n${fenced(item.output)}\n`
  return item.type === 'answer' && item.decision === 'output' ? `\n${fenced(item.output ?? '')}\n` : ''
}

function partText(part: OwnPart): string {
  if (part.type === 'text') return part.text
  if (part.type === 'file') return `Attached: ${oneLine(part.name)}\n\n${fenced(part.text)}`
  return part.url.startsWith('data:') ? '(a picture)' : `![](${part.url})`
}

/** A code block. Its fence is longer than any in the text. */
function fenced(text: string): string {
  const shown = text.length > maxShownChars ? `${text.slice(0, maxShownChars)}\n…` : text
  const longest = Math.max(2, ...Array.from(shown.matchAll(/`{3,}/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${shown}\n${fence}`
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}
