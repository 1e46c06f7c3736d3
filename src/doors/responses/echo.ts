// What a turn keeps of its request for the door alone: written when it is read, shown again with every answer.
import { isObject, type Json } from '#core/json.ts'

/** What a response shows again of its request. Only what was sent is kept, so that a plain request stores nothing. */
export type Echo = {
  readonly previous?: string
  readonly instructions?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly jsonObject?: true
  /** Schemas as they were written, where plain numbers would not say the same: of tools by name, and of the format. */
  readonly schemas?: Readonly<Record<string, string>>
  readonly formatSchema?: string
}

/** Reads the echo of a turn back; a turn of another door has none. */
export function echoOf(stored: Json | undefined): Echo {
  return isObject(stored) ? stored : {}
}
