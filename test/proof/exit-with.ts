// Ends a command of the proof with its code.

/** To set `process.exitCode` is not enough: the package of PostgreSQL ends the process with 0 once nothing is left to do. */
export function exitWith(code: number): never {
  process.exit(code)
}
