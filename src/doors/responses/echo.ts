// What a response shows again of its request, kept beside the turn.
import { isObject, type Json } from '#core/json.ts'

/** Only what was sent is kept, so that a plain request stores nothing. */
export type Echo = {
  readonly previous?: string
  readonly instructions?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly jsonObject?: true
}

/** Reads the echo of a turn back; a turn of another door has none. */
export function echoOf(stored: Json | undefined): Echo {
  return isObject(stored) ? stored : {}
}
