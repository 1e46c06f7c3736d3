// Steps and results of a turn, as tests compare them.
import type { Item } from '#core/item.ts'
import type { Step } from '#core/turn-store.ts'

export function kinds(step: Step | undefined): string {
  const types = step?.drafts.map(({ item }) => item.type).join(' ') ?? ''
  return `${types}${step?.outcome ? ` > ${step.outcome.status}` : ''}`.trim()
}

export function outputs(items: readonly Item[]): string[] {
  return items.flatMap((item) => (item.type === 'result' ? [item.output] : []))
}
