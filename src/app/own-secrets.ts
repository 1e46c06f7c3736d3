// The secrets of this installation that are not in the secret store: those of the configuration and of the home.
import { type Config, secretsIn } from '#config.ts'
import { existingToken, type Home, masterKey, nextKey } from '#home.ts'
import type { OwnSecret } from '#safety/leaks.ts'

/** Tokens and keys as text; the master key also as bytes, which a program may write in another encoding. */
export function ownSecretsOf(home: Home, config: Config): readonly OwnSecret[] {
  const next = nextKey(home)
  const token = existingToken(home)
  const keys = [masterKey(home, config.masterKey), ...(next === undefined ? [] : [next])]
  return [
    ...secretsIn(config),
    ...(token === undefined ? [] : [token]),
    ...keys,
    ...keys.map((key) => Buffer.from(key, 'hex')),
  ]
}
