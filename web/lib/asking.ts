// The layout of an approval: the lines of a diff, the rest of a request, arguments. Pure; everything in it is text of others.
import type { Preview } from '#doors/web/wire/gate.ts'

/** Letters of arguments that stand on one line, on a phone as well. */
const maxOnLine = 60

export type DiffLine = { readonly sign: ' ' | '+' | '-' | '@'; readonly at?: number; readonly text: string }

/** The lines of a unified diff with their numbers, without the two that name the files. */
export function diffLines(diff: string): DiffLine[] {
  const lines: DiffLine[] = []
  let [before, after] = [0, 0]
  for (const line of diff.split('\n').slice(2)) {
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

/** True for the diff of a file that is not there yet. */
export function isNewFile(diff: string): boolean {
  return diff.startsWith('--- /dev/null\n')
}

/** What goes with a request: its headers, then its body. */
export function requestRest({ headers = {}, body = '' }: Preview & { type: 'request' }): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [lines.join('\n'), body].filter((part) => part !== '').join('\n\n')
}

/** Arguments as a person reads them: few of them on one line. */
export function pretty(args: unknown): string {
  if (typeof args === 'string') return args
  const whole = JSON.stringify(args, undefined, 2)
  const line = whole.replaceAll(/\n */g, ' ')
  return line.length <= maxOnLine ? line : whole
}
