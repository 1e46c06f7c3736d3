// The values of a server's variables and headers, which are named and never written down: a sealed secret, or `$NAME`, a
// variable of the service's environment. A value that is no secret, from an import, is written after `=`.
import { AppError } from '#core/errors.ts'

export type ValueSources = {
  readonly secret: (name: string) => Promise<string | undefined>
  readonly environment: (name: string) => string | undefined
}

/** The values by their keys. Throws tool_refused and names what is missing. */
export async function readValues(
  named: Readonly<Record<string, string>>,
  { secret, environment }: ValueSources,
): Promise<Record<string, string>> {
  const values = Object.entries(named).map(async ([key, from]) => {
    if (from.startsWith('=')) return [key, from.slice(1)] as const
    const isVariable = from.startsWith('$')
    const value = isVariable ? environment(from.slice(1)) : await secret(from)
    if (value !== undefined) return [key, value] as const
    throw new AppError(
      'tool_refused',
      isVariable
        ? `${key} needs the variable ${from.slice(1)}, which the service's environment does not have`
        : `${key} needs the secret ${from}, which is not set: run \`atrium secret set ${from}\``,
    )
  })
  return Object.fromEntries(await Promise.all(values))
}

/** The sealed secrets among the values. */
export function secretsIn(named: Readonly<Record<string, string>>): string[] {
  return [...new Set(Object.values(named).filter((from) => !/^[$=]/.test(from)))]
}
