// Several models as one: the next is asked when one cannot answer, before its first token only. One that fails again
// and again is passed over for a while.
import { AppError, type ErrorCode } from '#core/errors.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import type { Log } from '#lib/log.ts'

/** So many faults in a row, within so long, and a model is passed over for so long. */
const faultsInARow = 5
const withinMs = 60_000
const passedOverMs = 30_000

/** What may be otherwise with another model. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'model_unreachable',
  'model_rate_limited',
  'model_failed',
  'model_timeout',
])

export type Candidate = { readonly label: string; readonly open: () => Promise<Model> }

type Entry = Candidate & { faults: number[]; until: number }

/** Asks `first`, which is open, then the others in their order. When all are passed over, all are asked. */
export function createFallback({
  first,
  others,
  log,
  clock = Date.now,
}: {
  first: Model
  others: readonly Candidate[]
  log?: Pick<Log, 'warn'> | undefined
  clock?: () => number
}): Model & Required<Pick<Model, 'passedOver'>> {
  const head: Candidate = { label: `${first.provider}/${first.name}`, open: () => Promise.resolve(first) }
  const entries = [head, ...others].map((each): Entry => ({ ...each, faults: [], until: 0 }))
  const passedOver = (): Entry[] => entries.filter(({ until }) => until > clock())

  function countFault(entry: Entry, error: AppError): void {
    const now = clock()
    entry.faults = [...entry.faults.filter((at) => at > now - withinMs), now]
    log?.warn({ model: entry.label, code: error.code }, 'a model did not answer')
    if (entry.faults.length < faultsInARow) return
    entry.faults = []
    entry.until = now + passedOverMs
    log?.warn({ model: entry.label, secs: passedOverMs / 1000 }, 'a model is passed over')
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    const away = passedOver()
    const asked = away.length < entries.length ? entries.filter((each) => !away.includes(each)) : entries
    let fault: AppError | undefined
    for (const entry of asked) {
      let begun = false
      try {
        const model = await entry.open()
        for await (const batch of model.stream(request, signal)) {
          begun = true
          yield model === first ? batch : batch.map((event) => namedBy(event, model))
        }
        entry.faults = []
        return
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (passing.has(error.code)) countFault(entry, error)
        // What another would be told as well ends the turn; a fallback that is not set up is no answer either.
        else if (begun || entry === entries[0]) throw error
        if (begun) throw error
        fault ??= error
      }
    }
    if (!fault) return
    const tried = asked.slice(1).map(({ label }) => label)
    const more = tried.length > 0 ? ` Nor did ${tried.join(', ')} answer.` : ''
    throw new AppError(fault.code, `${fault.message}${more}`, { cause: fault })
  }

  const { provider, name, via, window, priceOf } = first
  return {
    provider,
    name,
    ...(via && { via }),
    window,
    ...(priceOf && { priceOf }),
    stream,
    passedOver: () => passedOver().map(({ label }) => label),
  }
}

function namedBy(event: ModelEvent, { name, via }: Model): ModelEvent {
  return event.type === 'done' ? { ...event, model: name, ...(via && { via }) } : event
}
