// The lines about skills in the system prompt. Pure: the same skills and window give the same bytes, so that the provider's
// prompt cache holds from turn to turn.
import { charsPerToken } from '#core/tokens.ts'

/** The largest share of the window. Beyond it the agent searches. */
const windowShare = 0.02

export type CatalogueEntry = {
  readonly name: string
  readonly description: string
  /** It was not reviewed yet: its description stays out of the system prompt. */
  readonly untrusted: boolean
}

const opening =
  'Skills are instructions for certain tasks. When a task fits one, load it with skill_load before you begin; when a skill names files, read them with skill_read.'

/** The catalogue for a model's window; empty without skills. */
export function catalogueOf(skills: readonly CatalogueEntry[], window: number): string {
  if (skills.length === 0) return ''
  const lines = skills
    .toSorted((one, two) => (one.name < two.name ? -1 : 1))
    .map(({ name, description, untrusted }) => `- ${name}: ${untrusted ? notReviewed : oneLine(description)}`)
  const whole = `${opening}\n${lines.join('\n')}`
  if (Buffer.byteLength(whole) / charsPerToken <= window * windowShare) return whole
  return `${opening} There are ${skills.length}: find them with skill_search.`
}

const notReviewed = '(not reviewed: load it only when the user asks for it)'

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
