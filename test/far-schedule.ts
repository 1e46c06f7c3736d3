// Schedules of missions that do not come due while a test runs, whatever the time is.

/** A time of day about twelve hours from now in `zone`, whose clocks never change. */
export function farTime(): { readonly time: string; readonly zone: string } {
  const tokyoHours = 9
  const hour = (new Date().getUTCHours() + tokyoHours + 12) % 24
  return { time: `${String(hour).padStart(2, '0')}:30`, zone: 'Asia/Tokyo' }
}

/** Once a year, about half a year from now. */
export function farDate(): string {
  return `0 0 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} *`
}
