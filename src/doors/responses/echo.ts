// Request fields that a turn stores only to repeat them in its response objects.
import { isObject, type Json } from '#core/json.ts'

/** Only fields that were sent are present, so that a plain request stores nothing. */
export type Echo = {
  readonly previous?: string
  readonly instructions?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly background?: true
  readonly store?: false
  /** The request named its thread as a conversation. */
  readonly conversation?: true
  /** Source text of schemas whose numbers JSON.parse would change: those of tools by name, and that of the format. */
  readonly schemas?: Readonly<Record<string, string>>
  readonly formatSchema?: string
}

/** The echo of a turn. Empty for a turn of another door. */
export function echoOf(stored: Json | undefined): Echo {
  return isObject(stored) ? stored : {}
}
