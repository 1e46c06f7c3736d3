// `/model`: shows the models, and chooses one for the open thread or for the whole service.
import type { OfferedModel } from '#core/admin.ts'
import { amountWords } from '#core/words.ts'
import { printable, proseOf } from '#safety/printable.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { ListContent } from './list.ts'
import type { Theme } from './theme.ts'

export type ModelChoiceParts = {
  readonly client: Pick<OperatorClient, 'models' | 'status'>
  readonly theme: Theme
  /** Tests and stores a model; `force` stores it without a test. Throws when it does not answer: nothing has changed. */
  readonly chooseModel: (provider: string, name: string | undefined, options: { force: boolean }) => Promise<string>
  /** The model that was chosen for the open thread. */
  readonly threadModel: () => string | undefined
  /** Chooses the model of the open thread, null for the usual one. */
  readonly chooseThreadModel: (model: string | null) => Promise<void>
  readonly tell: (words: string) => void
  /** Shows the error of failed work. */
  readonly attempt: (work: Promise<unknown>) => void
}

/** Makes `/model`, which opens its boxes with `open`. */
export function createModelChoice(
  parts: ModelChoiceParts,
  open: (content: ListContent) => void,
): (words: string) => Promise<void> {
  const { client, theme, tell } = parts

  /** Lists the models for this thread; a name of one chooses it. Other words choose the model of the whole service. */
  async function model(words: string): Promise<void> {
    const offered = await client.models()
    const named = offered.find(({ id, name, role }) => role !== 'usual' && (id === words || name === words))
    if (named) return choose(named)
    const typed = words.split(/[\s/]+/).filter(Boolean)
    const force = typed.includes('--force')
    const [provider, ...name] = typed.filter((word) => word !== '--force')
    if (provider !== undefined) {
      tell(`Trying ${printable(words)} …`)
      return tell(await parts.chooseModel(provider, name.length > 0 ? name.join('/') : undefined, { force }))
    }
    if (offered.length > 1) return listModels(offered)
    const { provider: current, model: called, skippedModels } = await client.status()
    const lines = [
      `${proseOf(called)}${called === current ? '' : ` (${proseOf(current)})`} answers.`,
      ...skippedModels.map((each) => `${proseOf(each)} is skipped for now after repeated failures`),
      '',
      'Choose another: /model PROVIDER MODEL, for example /model ollama qwen3',
      theme.commands('What each needs: atrium model list'),
    ]
    open({ title: 'Model', text: () => lines })
  }

  function listModels(offered: readonly OfferedModel[]): void {
    const chosen = parts.threadModel()
    const rows = offered.map((each) => {
      const isChosen = each.role === 'usual' ? chosen === undefined : chosen === each.id
      const words = { usual: 'the usual one', fallback: 'fallback', offered: '' }[each.role]
      const about = [words, pricesOf(each)].filter(Boolean).join(', ')
      const pick = (): void => parts.attempt(choose(each))
      return { text: `${isChosen ? '▌' : ' '} ${proseOf(each.id)}  ${theme.dim(about)}`, pick }
    })
    open({ title: 'Model for this thread', rows, does: 'chooses it', empty: '' })
  }

  async function choose({ id, role }: OfferedModel): Promise<void> {
    await parts.chooseThreadModel(role === 'usual' ? null : id)
    tell(`This thread uses ${proseOf(id)} from the next message on.`)
  }

  return model
}

/** The price per million tokens: `$3.00 in, $15.00 out`. */
function pricesOf({ inputUsd, outputUsd }: OfferedModel): string {
  if (inputUsd === null || outputUsd === null) return 'price unknown'
  if (inputUsd === 0 && outputUsd === 0) return 'free'
  return `${amountWords(inputUsd)} in, ${amountWords(outputUsd)} out per million tokens`
}
