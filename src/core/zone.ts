// Time zones that users name.
import { AppError } from './errors.ts'
import { maxZoneChars } from './page-limits.ts'

/** Throws invalid_input unless it is the name of a time zone. An offset such as +02:00 knows no daylight saving. */
export function checkZone(zone: string, param = 'zone'): void {
  try {
    if (!/^[A-Za-z]/.test(zone) || zone.length > maxZoneChars) throw new RangeError(zone)
    Intl.DateTimeFormat('en', { timeZone: zone })
  } catch (cause) {
    const shown = JSON.stringify(zone.slice(0, maxZoneChars))
    const message = `${param} ${shown} is no time zone: take a name such as Europe/Zurich or UTC`
    throw new AppError('invalid_input', message, { param, cause })
  }
}
