// Units of time in milliseconds, and a time as text.

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
/** How much the clocks of two replicas may differ. What is from later than this is from a clock that was set back since. */
export const maxSkewMs = 60_000

/** ISO 8601 in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** ISO 8601 in UTC, or null where there is no time. */
export function isoTimeOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : isoTime(ms)
}

/** The IANA name of this machine's time zone; UTC where that has no name. */
export function machineZone(): string {
  return namedZone() ?? 'UTC'
}

/** Undefined where TZ is no name of a zone, but a file, an offset or nonsense. */
export function namedZone(): string | undefined {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined
  return zone === 'Etc/Unknown' ? undefined : zone
}
