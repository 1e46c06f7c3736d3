// Times, costs, sizes and durations as people read them. What the terminal says too is in src/core/words.ts, in the same
// words; a test holds both to one table.

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** `just now`, `12 min ago` for an hour, then the time, the day, the date: in the reader's zone. */
export function whenText(at: string | number, now: number): string {
  const date = new Date(at)
  const age = now - date.getTime()
  if (age < minuteMs) return 'just now'
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min ago`
  const days = daysBetween(date, new Date(now))
  if (days <= 0) return clock(date)
  if (days === 1) return `Yesterday, ${clock(date)}`
  return dayText(date, now)
}

/** The same, as it stands at the end of a narrow row. */
export function shortWhen(at: string | number, now: number): string {
  return whenText(at, now).replace(/ ago$/, '')
}

/** The exact time, for whoever hovers. */
export function exactTime(at: string | number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** `9 Nov`, with the year once it is another one. */
export function dayText(at: Date | string | number, now: number): string {
  const date = new Date(at)
  const year = date.getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' as const }
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...year })
}

/** The heading a thread stands under in the list. */
export function dayGroup(at: string, now: number): string {
  const days = daysBetween(new Date(at), new Date(now))
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days < 7) return 'Last week'
  if (days < 31) return 'Last month'
  return 'Earlier'
}

/** `expires in 58 min`. */
export function leftText(until: string, now: number): string {
  const ms = new Date(until).getTime() - now
  if (ms <= 0) return 'expired'
  if (ms < hourMs) return `expires in ${Math.max(1, Math.round(ms / minuteMs))} min`
  return `expires in ${Math.round(ms / hourMs)} h`
}

/** The end of something: `14:20 today`, else `9 Nov, 14:20`. */
export function untilText(at: string, now: number): string {
  const date = new Date(at)
  return daysBetween(new Date(now), date) === 0 ? `${clock(date)} today` : `${dayText(date, now)}, ${clock(date)}`
}

/** A day that comes: `14:20 today`, `tomorrow`, `in 12 days`. */
export function aheadText(at: string, now: number): string {
  const days = daysBetween(new Date(now), new Date(at))
  if (days <= 0) return untilText(at, now)
  return days === 1 ? 'tomorrow' : `in ${countText(days, 'day')}`
}

/** `2 ms`, `0.3 s`, `14 s`, `2 min 08 s`. */
export function durationText(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : secondsText(Math.round(ms / 1000))
}

/** Of what goes on, in whole seconds: `0 s`, `14 s`, `2 min 08 s`. */
export function elapsedText(ms: number): string {
  return secondsText(Math.max(0, Math.floor(ms / 1000)))
}

function secondsText(secs: number): string {
  return secs < 60 ? `${secs} s` : `${Math.floor(secs / 60)} min ${String(secs % 60).padStart(2, '0')} s`
}

/** A long time, by its two largest units: `12 s`, `3 h 5 min`, `2 d 0 h`. */
export function spanText(secs: number): string {
  const parts = [
    [Math.floor(secs / 86_400), 'd'],
    [Math.floor(secs / 3600) % 24, 'h'],
    [Math.floor(secs / 60) % 60, 'min'],
    [Math.floor(secs) % 60, 's'],
  ] as const
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2)
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

/** `$0.021` under a dollar, `$12.40` above, `free`, `unknown`. */
export function costText(usd: number | null): string {
  if (usd === null) return 'unknown'
  if (usd === 0) return 'free'
  if (usd < 0.001) return 'under $0.001'
  return usd < 1 ? `$${usd.toFixed(3)}` : `$${usd.toFixed(2)}`
}

/** A sum, such as that of a cap, in cents; of less than a cent two digits that count: `$0.00`, `$0.50`, `$0.0042`. */
export function amountText(usd: number): string {
  if (usd > 0 && usd < 0.000_001) return 'under $0.000001'
  return `$${usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toPrecision(2)}`
}

/** `$0.84`: a sum, where zero is zero. */
export function sumText(usd: number): string {
  return usd > 0 && usd < 0.01 ? costText(usd) : `$${usd.toFixed(2)}`
}

/** `$3 in, $15 out per M`, `free`, `price unknown`. */
export function priceText({
  input_usd,
  output_usd,
}: Readonly<Record<'input_usd' | 'output_usd', number | null>>): string {
  if (input_usd === null || output_usd === null) return 'price unknown'
  if (input_usd === 0 && output_usd === 0) return 'free'
  return `${shortCost(input_usd)} in, ${shortCost(output_usd)} out per M`
}

/** `$3`, `$1.25`, `$0.075`. */
function shortCost(usd: number): string {
  if (Number.isInteger(usd)) return `$${usd}`
  return `$${Number(usd.toFixed(2)) === usd ? usd.toFixed(2) : usd}`
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(bytes < 10 * 1024 ? 1 : 0)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

export function numberText(value: number): string {
  return value.toLocaleString('en-US')
}

/** `1 tool`, `3 tools`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`
}

function clock(date: Date): string {
  return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}

/** Days by the calendar of the reader, not by 24 hours. */
function daysBetween(from: Date, to: Date): number {
  const midnight = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
  return Math.round((midnight(to) - midnight(from)) / (24 * hourMs))
}
