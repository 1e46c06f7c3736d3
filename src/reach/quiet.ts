// Quiet hours: whether an instant falls into them, and when they end. Pure.
import { wrongField } from '#core/errors.ts'
import type { Quiet } from '#core/notification.ts'
import { checkZone } from '#core/zone.ts'
import { minuteMs } from '#core/time.ts'

/** No quiet hours last longer: those of a day, and the hours by which a zone may change its clock. */
const maxMinutes = 1_440 + 180
const timePattern = /^([01]?\d|2[0-3]):([0-5]\d)$/

/** When the quiet hours that this instant falls into end; undefined outside of them. */
export function quietUntil(quiet: Quiet | undefined, now: number): number | undefined {
  if (!quiet) return undefined
  const minuteIn = minutesOfZone(quiet.zone)
  if (!isQuiet(quiet, minuteIn(now))) return undefined
  // Minute by minute: clocks that are put forward or back need no rule of their own.
  let at = now - (now % minuteMs)
  for (let minutes = 0; minutes < maxMinutes && isQuiet(quiet, minuteIn(at)); minutes++) at += minuteMs
  return at
}

/** Checks quiet hours that somebody gave. Throws invalid_input that names the field. */
export function readQuiet({ from, to, zone }: Quiet): Quiet {
  const [start, end] = [readTime(from, 'quiet.from'), readTime(to, 'quiet.to')]
  if (start === end) throw wrongField('quiet.to', 'must differ from quiet.from: to switch them off, send null')
  checkZone(zone, 'quiet.zone')
  return { from: start, to: end, zone }
}

function isQuiet({ from, to }: Quiet, minute: number): boolean {
  const [start, end] = [minutesOf(from), minutesOf(to)]
  return start < end ? minute >= start && minute < end : minute >= start || minute < end
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Reads the minute of the day in a zone. A zone that is not known any more counts as UTC. */
function minutesOfZone(zone: string): (at: number) => number {
  const format = (timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  let known: Intl.DateTimeFormat
  try {
    known = format(zone)
  } catch {
    known = format('UTC')
  }
  return (at) => minutesOf(known.format(at))
}

function readTime(text: string, field: string): string {
  const found = timePattern.exec(text.trim())
  if (!found) throw wrongField(field, `must be a time such as 22:00, not ${JSON.stringify(text.slice(0, 20))}`)
  return `${(found[1] ?? '').padStart(2, '0')}:${found[2]}`
}
