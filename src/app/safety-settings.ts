// The safety rules of this installation, as the operator has set them.
import type { Json } from '#core/json.ts'
import { createMarker, type Marker } from '#safety/marks.ts'
import { readSafetySettings, type SafetySettings } from '#safety/policy-settings.ts'

export type Safety = Pick<SafetySettings, 'policy'> & {
  /** Made at the first call. */
  marker(): Marker
}

/** Reads the settings, at the start and after each change. */
export function readSafety(settings: Readonly<Record<string, Json>>): Safety {
  const { policy, marksOff } = readSafetySettings(settings)
  let marker: Marker | undefined
  return { policy, marker: () => (marker ??= createMarker({ off: marksOff })) }
}
