// The calls of a sandboxed tool that misbehaves: what each operation makes it do, and how it must end.

export const hostileTool = 'rowdy'

/** What a call does; its arguments name it by a letter, `a` for the first. */
export const ways = ['good', 'escape', 'flood', 'chatter', 'trap', 'grow', 'loop'] as const
export type Way = (typeof ways)[number]

/** Calls in these ways end with an error. */
const failing: readonly Way[] = ['flood', 'trap', 'loop']
/** A loop takes the processor until the deadline of a call, so there are few. */
const opsPerLoop = 2_000

/** True for the operations in which the tool loops for ever. */
export function loopsAt(op: number): boolean {
  return op % opsPerLoop === opsPerLoop / 2
}

/** The arguments of the call that an operation makes. The tool reads them at fixed places, see `hostile-component.ts`. */
export function argsOf(op: number, host: string): { way: string; url: string } {
  const at = loopsAt(op) ? ways.indexOf('loop') : op % ways.indexOf('loop')
  return { way: letterAt(at), url: `http://${host}/forbidden/${op}` }
}

/** True for arguments of a call that cannot end well. */
export function mustFail(args: string): boolean {
  return failing.some((way) => args.startsWith(`{"way":"${letterAt(ways.indexOf(way))}"`))
}

function letterAt(index: number): string {
  return String.fromCharCode(97 + index)
}
