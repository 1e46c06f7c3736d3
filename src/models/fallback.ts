// Several models as one. If a model cannot answer, the next one is asked, but only before the first token. A model that
// fails repeatedly is skipped for a while.
import { AppError, type AskedModel, type ErrorCode } from '#core/errors.ts'
import type { Model, ModelEvent, ModelRequest } from '#core/model.ts'
import type { Log } from '#lib/log.ts'

/** After `maxFaults` in a row within `faultWindowMs`, a model is skipped for `skipMs`. */
const maxFaults = 5
const faultWindowMs = 60_000
const skipMs = 30_000

/** Faults that another model may not have. */
const otherMayAnswer: ReadonlySet<ErrorCode> = new Set([
  'model_unreachable',
  'model_rate_limited',
  'model_failed',
  'model_timeout',
])

export type Candidate = { readonly label: string; readonly open: () => Promise<Model> }

type Entry = Candidate & { faults: number[]; until: number }

/** Asks `first`, then the others in order. If all are skipped, all are asked. */
export function createFallback({
  first,
  others,
  log,
  clock = () => performance.now(),
}: {
  first: Model
  others: readonly Candidate[]
  log?: Pick<Log, 'warn'> | undefined
  clock?: () => number
}): Model & Required<Pick<Model, 'skippedModels'>> {
  const head: Candidate = { label: `${first.provider}/${first.name}`, open: () => Promise.resolve(first) }
  const entries = [head, ...others].map((each): Entry => ({ ...each, faults: [], until: 0 }))
  const skippedEntries = (): Entry[] => entries.filter(({ until }) => until > clock())

  function countFault(entry: Entry, error: AppError): void {
    const now = clock()
    entry.faults = [...entry.faults.filter((at) => at > now - faultWindowMs), now]
    log?.warn({ model: entry.label, code: error.code }, 'model did not answer')
    if (entry.faults.length < maxFaults) return
    entry.faults = []
    entry.until = now + skipMs
    log?.warn({ model: entry.label, secs: skipMs / 1000 }, 'model skipped for a while after repeated failures')
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    const skipped = skippedEntries()
    const candidates = skipped.length < entries.length ? entries.filter((each) => !skipped.includes(each)) : entries
    let fault: AppError | undefined
    const asked: AskedModel[] = []
    for (const entry of candidates) {
      let begun = false
      const from = clock()
      try {
        const model = await entry.open()
        for await (const batch of model.stream(request, signal)) {
          begun = true
          yield model === first ? batch : batch.map((event) => withModel(event, model))
        }
        entry.faults = []
        return
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const passing = otherMayAnswer.has(error.code)
        if (passing) countFault(entry, error)
        // Any other fault of the first model ends the turn. A fallback that is not set up is skipped.
        if (begun || (!passing && entry === entries[0])) throw error
        fault ??= error
        asked.push(...(error.asked ?? []).map((each) => ({ ...each, ms: Math.round(clock() - from) })))
      }
    }
    if (!fault) return
    const tried = candidates.slice(1).map(({ label }) => label)
    const more = tried.length > 0 ? ` No answer from ${tried.join(', ')} either.` : ''
    throw new AppError(fault.code, `${fault.message}${more}`, { ...(asked.length > 0 && { asked }), cause: fault })
  }

  const { provider, name, via, window, priceOf } = first
  return {
    provider,
    name,
    ...(via && { via }),
    window,
    ...(priceOf && { priceOf }),
    stream,
    skippedModels: () => skippedEntries().map(({ label }) => label),
  }
}

function withModel(event: ModelEvent, { name, via }: Model): ModelEvent {
  return event.type === 'done' ? { ...event, model: name, ...(via && { via }) } : event
}
