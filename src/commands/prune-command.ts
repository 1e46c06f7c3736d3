// `atrium prune`: erases threads by their last activity, in a running service or in this process.
import { AppError } from '#core/errors.ts'
import { countWords } from '#core/words.ts'
import { type PrunedPart, type Pruned, type PruneOrder, pruneSome } from '#turns/retention.ts'
import { createProgress } from './progress-line.ts'
import { agrees } from './prompts.ts'
import { askService } from './running-service.ts'
import { print } from './report.ts'
import { withStore } from './home-store.ts'

type Options = { readonly before: string; readonly dryRun?: boolean; readonly yes?: boolean; readonly json?: boolean }
type Prune = (order: PruneOrder) => Promise<PrunedPart>

export function prune(options: Options): Promise<void> {
  const before = timeOf(options.before)
  return withStore(async (store) => {
    const here: Prune = (order) => pruneSome({ store }, order)
    const some: Prune = async (order) => ((await askService('/prune', order)) as PrunedPart | undefined) ?? here(order)
    const progress = createProgress()
    const found = await pruneAll(here, { before, dryRun: true }, ({ threads }) => {
      progress.show(`counting: ${countWords(threads, 'thread')}`)
    }).finally(progress.end)
    if (options.dryRun) {
      return print(options, { dry_run: true, ...found }, `Would erase ${wordsOf(found)}. Nothing was erased.`)
    }
    if (found.threads > 0 && !options.yes) await confirm(found, options.before)
    let soFar: Pruned | undefined
    const erased = await pruneAll(some, { before }, (sum) => {
      soFar = sum
      progress.show('erasing', Math.min(1, sum.threads / Math.max(1, found.threads)))
    })
      .finally(progress.end)
      .catch((error: unknown) => {
        throw soFar === undefined ? error : brokenOff(error, soFar)
      })
    print(options, { dry_run: false, ...erased }, `Erased ${wordsOf(erased)}.`)
  })
}

/** Goes on from part to part, each told where the one before ended, and returns the sum. `onPart` gets the sum so far. */
export async function pruneAll(some: Prune, order: PruneOrder, onPart: (soFar: Pruned) => void): Promise<Pruned> {
  const sum = { threads: 0, turns: 0, items: 0 }
  for (let next: PruneOrder['next'], more = true; more; more = next !== undefined) {
    const part: PrunedPart = await some({ ...order, ...(next && { next }) })
    for (const name of ['threads', 'turns', 'items'] as const) sum[name] += part[name]
    onPart(sum)
    next = part.next
  }
  return sum
}

/** The error of an erasing that had begun, with what it has erased. */
export function brokenOff(error: unknown, erased: Pruned): unknown {
  if (!(error instanceof AppError)) return error
  const message = `${error.message}. Before that it erased ${wordsOf(erased)}: run it again to go on`
  return new AppError(error.code, message, { cause: error })
}

async function confirm(found: Pruned, before: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new AppError('invalid_input', `without a terminal, prune needs --yes: it would erase ${wordsOf(found)}`)
  if (await agrees(`Erase ${wordsOf(found)}, all without activity since ${before}?`)) return
  throw new AppError('forbidden', 'nothing was erased')
}

function wordsOf({ threads, turns, items }: Pruned): string {
  return `${countWords(threads, 'thread')} with ${countWords(turns, 'turn')} and ${countWords(items, 'item')}`
}

/** A date is midnight UTC; a time needs its zone. */
function timeOf(text: string): number {
  const known = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const time = known ? Date.parse(text) : Number.NaN
  // Date.parse takes the 31st of a month that has 30 days.
  const exists = new Date(`${text.slice(0, 10)}T00:00Z`)
  if (!Number.isNaN(time) && !Number.isNaN(exists.getTime()) && exists.toISOString().startsWith(text.slice(0, 10)))
    return time
  throw new AppError('invalid_input', `--before takes a date such as 2026-01-31, or a time such as 2026-01-31T12:00Z`)
}
