// Formats times and call arguments as text.
import { objectIn } from '#core/json.ts'
import { dayMs, hourMs, minuteMs } from '#core/time.ts'
import { printable } from '#safety/printable.ts'

/** Remaining time, rounded up: 58 min, 23 h. */
export function leftWords(ms: number): string {
  if (ms < hourMs) return `${Math.max(1, Math.ceil(ms / minuteMs))} min`
  return `${Math.ceil(ms / hourMs)} h`
}

/** A past time, in one of these forms: `just now`; `12 min ago`; `14:20`; `Yesterday, 18:02`; `9 Nov`. */
export function timeWords(at: number, now: number): string {
  if (now - at < minuteMs) return 'just now'
  if (now - at < hourMs) return `${Math.floor((now - at) / minuteMs)} min ago`
  const [then, today] = [new Date(at), new Date(now)]
  const clock = `${String(then.getHours()).padStart(2, '0')}:${String(then.getMinutes()).padStart(2, '0')}`
  if (then.toDateString() === today.toDateString()) return clock
  if (then.toDateString() === new Date(now - dayMs).toDateString()) return `Yesterday, ${clock}`
  return `${then.getDate()} ${then.toLocaleString('en-US', { month: 'short' })}`
}

/** Arguments in one line, values only: a phrase such as `"duration_ms" in deploy.log` would depend on the tool. */
export function briefArgs(args: string): string {
  const values = objectIn(args)
  if (!values) return printable(args)
  return Object.values(values)
    .map((value) => printable((typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/g, ' ')))
    .join(' · ')
}

/** Valid JSON without the white space between its parts. In other text the time would grow with the square of its quotes. */
function squeezed(json: string): string {
  return json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (piece) => (piece.startsWith('"') ? piece : ''))
}

/** Arguments one per line, with names aligned; the raw text when parsing would change what is shown. */
export function argLines(args: string): string[] {
  const values = objectIn(args)
  // Parsing loses digits of long numbers and the first of two equal names.
  if (!values || JSON.stringify(values) !== squeezed(args)) return printable(args, { lines: true }).split('\n')
  const widest = Math.max(0, ...Object.keys(values).map((name) => name.length))
  return Object.entries(values).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return printable(text, { lines: true })
      .split('\n')
      .map((line, at) => `${at === 0 ? printable(name).padEnd(widest) : ' '.repeat(widest)}  ${line}`)
  })
}
