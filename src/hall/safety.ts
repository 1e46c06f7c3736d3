// The rules as they stand for this installation: what the operator has set, and which secrets are its own.
import { type Config, secretsIn } from '#config.ts'
import type { Json } from '#core/json.ts'
import type { SecretStore } from '#core/store.ts'
import { createLeakScan, type LeakScan } from '#safety/leaks.ts'
import { createMarker, type Marker } from '#safety/marks.ts'
import { readSafetySettings, type SafetySettings } from '#safety/policy-settings.ts'

export type Safety = Pick<SafetySettings, 'policy'> & {
  /** Both are made when they are first wanted. */
  marker(): Marker
  scan(): LeakScan
}

export type SafetyParts = {
  readonly settings: Readonly<Record<string, Json>>
  readonly secrets: Pick<SecretStore, 'values'>
  readonly config: Config
  /** Secrets that stand in neither. */
  readonly more: readonly string[]
}

/** Reads settings and secrets; done at the start and whenever they have changed. */
export async function readSafety({ settings, secrets, config, more }: SafetyParts): Promise<Safety> {
  const { policy, marksOff } = readSafetySettings(settings)
  const own = [...secretsIn(config), ...more, ...(await secrets.values())]
  let marker: Marker | undefined
  let scan: LeakScan | undefined
  return {
    policy,
    marker: () => (marker ??= createMarker({ off: marksOff })),
    scan: () => (scan ??= createLeakScan(own)),
  }
}
