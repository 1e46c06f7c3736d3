// The rules as the operator has set them for this installation.
import type { Json } from '#core/json.ts'
import { createMarker, type Marker } from '#safety/marks.ts'
import { readSafetySettings, type SafetySettings } from '#safety/policy-settings.ts'

export type Safety = Pick<SafetySettings, 'policy'> & {
  /** Made when it is first wanted. */
  marker(): Marker
}

/** Reads the settings; done at the start and whenever they have changed. */
export function readSafety(settings: Readonly<Record<string, Json>>): Safety {
  const { policy, marksOff } = readSafetySettings(settings)
  let marker: Marker | undefined
  return { policy, marker: () => (marker ??= createMarker({ off: marksOff })) }
}
