// The command line of the project's own scripts, such as `npm run prove`.
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { errorMessage } from '#core/errors.ts'

type Flags = ParseArgsConfig & { readonly options: { readonly help: { readonly type: 'boolean' } } }

/** Prints the usage and ends the process at `--help`, and, with exit code 2, at a flag that does not exist. */
export function readFlags<T extends Flags>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    const flags = parseArgs(config)
    if (!(flags.values as { help?: boolean }).help) return flags
    console.log(usage)
    return process.exit(0)
  } catch (error) {
    return refuseFlags(usage, errorMessage(error))
  }
}

/** Says what is wrong with a command line, and ends the process with exit code 2. */
export function refuseFlags(usage: string, fault: string): never {
  console.error(`${fault}\n\nusage: ${usage}`)
  process.exit(2)
}

/** Refuses the first of these flags whose value is no number, or one below `min`. */
export function checkNumbers(usage: string, flags: Readonly<Record<string, string | undefined>>, min: number): void {
  for (const [name, value] of Object.entries(flags)) {
    if (value === undefined || Number(value) >= min) continue
    refuseFlags(usage, `--${name} takes a number${min > 0 ? ' above 0' : ''}, not ${value}`)
  }
}
