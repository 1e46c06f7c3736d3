// Describes a failed turn: what happened, what is kept, how to go on. Pure.
import { failureTitle, keptWords } from '#core/failure-words.ts'
import { amountWords, countWords, sentence } from '#core/words.ts'
import type { Settings } from '#doors/web/wire/settings.ts'
import type { Fault, Limit } from '#doors/web/wire/turn.ts'

export type Failure = {
  /** Sun for a limit that somebody set, clay for a fault. */
  readonly kind: 'sun' | 'clay'
  readonly title: string
  readonly text: string
  /** Label of the button that continues the turn; undefined where that would not help. */
  readonly goOn?: string
  /** Where the operator can change the cause. */
  readonly change?: { readonly words: string; readonly at: string }
}

/** The results that the turn left behind. */
export type Left = {
  /** The number of model calls, if known. */
  readonly steps?: number
  /** There is a text or a call. */
  readonly done: boolean
  /** The last text is incomplete: the model had begun to answer. */
  readonly cut?: boolean
}

export function failureOf({ code, message, limit: reached }: Fault, { steps, done, cut = false }: Left): Failure {
  const limit = limitOf(code, reached)
  if (limit) {
    const kept = steps
      ? `${countWords(steps, 'step')} ${steps === 1 ? 'is' : 'are'} done, and kept.`
      : 'All of it is kept.'
    const { more, ...shown } = limit
    if (more === undefined) return { kind: 'sun', ...shown, text: `${sentence(message)} ${kept}` }
    const text = `${kept} The turn can go on from here.`
    return { kind: 'sun', ...shown, text, goOn: `Go on with another ${more}` }
  }
  const ofModel = code.startsWith('model_')
  return {
    kind: 'clay',
    title: failureTitle(code, cut) ?? 'The turn failed',
    text: `${sentence(message)} ${keptWords(done)}`,
    ...(ofModel && { change: { words: 'Change the model', at: '/settings/model' } }),
  }
}

type Ending = Pick<Failure, 'title' | 'change'> & {
  /** The allowance of the next turn; undefined where the next turn would hit the limit at once. */
  readonly more?: string
}

/** The limit that ended a turn; undefined for other faults. Old turns did not record the limit's numbers. */
function limitOf(code: string, reached: Limit | undefined): Ending | undefined {
  const change = (what: string) => ({ words: `Change the ${what}`, at: '/settings/limits' })
  if (code === 'spend_limit') {
    if (reached?.kind !== 'spend_per_turn' && reached?.kind !== 'spend_per_day') {
      return { title: 'Stopped at the spend cap', change: change('cap') }
    }
    const ofDay = reached.kind === 'spend_per_day'
    const cap = amountWords(reached.max_usd)
    const fits = !ofDay && reached.next_usd <= reached.max_usd
    const title = `Stopped at the spend cap of ${cap}${ofDay ? ' a day' : ''}`
    return { title, change: change('cap'), ...(fits && { more: cap }) }
  }
  if (code === 'step_limit') {
    if (reached?.kind !== 'steps') return { title: 'Stopped after too many steps', change: change('limit') }
    const steps = countWords(reached.max, 'step')
    return { title: `Stopped after ${steps}`, change: change('limit'), more: steps }
  }
  if (code !== 'time_limit') return undefined
  if (reached?.kind !== 'minutes') return { title: 'The turn took too long' }
  const minutes = countWords(reached.max, 'minute')
  return { title: `Stopped after ${minutes}`, more: minutes }
}

/** Providers that are not offered as a replacement: they may not be able to answer. */
const unsure: readonly string[] = ['offline', 'scripted', 'ollama']

/** The model to offer in place of one that fails: a ready one, else a fallback. */
export function otherModel({ model, models }: Settings): Settings['models'][number] | undefined {
  if (model.chosen_by === 'environment') return undefined
  return (
    models.find(({ role, provider }) => role === 'ready' && !unsure.includes(provider)) ??
    models.find(({ role }) => role === 'fallback')
  )
}
