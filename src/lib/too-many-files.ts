// Whether too many files are open, where that is not told: SQLite says of a file no more than that it cannot be opened.
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/** The system's error, if no other file can be opened now. */
export function openingFault(): unknown {
  try {
    closeSync(openSync(devNull, 'r'))
    return undefined
  } catch (error) {
    return error
  }
}
