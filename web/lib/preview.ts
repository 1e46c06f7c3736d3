// Text of an approval's preview: diff lines, request headers and body, arguments. Pure. All input is untrusted: hidden
// characters are written as their numbers.
import { missionLines } from '#core/words.ts'
import type { Preview } from '#doors/web/wire/gate.ts'
import { printable } from '#safety/printable.ts'

/** Arguments up to this length are put on one line; it fits a phone. */
const maxOnLine = 60

export type DiffLine = { readonly sign: ' ' | '+' | '-' | '@'; readonly at?: number; readonly text: string }

/** The lines of a unified diff with their line numbers, without the two header lines. */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = []
  let [before, after] = [0, 0]
  for (const line of printable(diff, { lines: true }).split('\n').slice(2)) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line)
    if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      if (lines.length > 0) lines.push({ sign: '@', text: '' })
    } else if (line.startsWith('+')) lines.push({ sign: '+', at: after++, text: line.slice(1) })
    else if (line.startsWith('-')) lines.push({ sign: '-', at: before++, text: line.slice(1) })
    else if (line.startsWith(' ')) {
      lines.push({ sign: ' ', at: after++, text: line.slice(1) })
      before++
    } else lines.push({ sign: '@', text: line })
  }
  return lines
}

/** True for a diff that creates a file. */
export function isNewFile(diff: string): boolean {
  return diff.startsWith('--- /dev/null\n')
}

/** A request's headers, then its body. */
export function requestRest({ headers = {}, body = '' }: Preview & { type: 'request' }): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const text = [lines.join('\n'), body].filter((part) => part !== '').join('\n\n')
  return printable(text, { lines: true })
}

/** What a mission may use and spend, then its whole prompt. */
export function missionText({ title, status, tools, cap_usd: capUsd, prompt }: Preview & { type: 'mission' }): string {
  const lines = missionLines({ title: title === undefined ? undefined : printable(title), status, tools, capUsd })
  return printable([...lines, '', prompt].join('\n'), { lines: true })
}

/** Arguments as indented JSON, or on one line if short. A string keeps its lines. */
export function formatArgs(args: unknown): string {
  if (typeof args === 'string') return printable(args, { lines: true })
  const whole = printable(JSON.stringify(args, undefined, 2), { lines: true })
  const line = whole.replaceAll(/\n */g, ' ')
  return line.length <= maxOnLine ? line : whole
}
