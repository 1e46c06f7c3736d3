// Progress of a long command: on a terminal a line that is drawn over itself, elsewhere a line of its own every few seconds.

const drawMs = 100
/** Elsewhere a command that is done before then writes none, and a long one does not fill a log. */
const lineMs = 5_000

export interface Progress {
  /** `share` is left out while the total is unknown. */
  readonly show: (what: string, share?: number) => void
  /** Removes the line of a terminal. */
  readonly end: () => void
}

export type ProgressParts = {
  readonly stream?: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>
  readonly now?: () => number
}

export function createProgress({
  stream = process.stderr,
  now = () => performance.now(),
}: ProgressParts = {}): Progress {
  let shownAt = stream.isTTY ? Number.NEGATIVE_INFINITY : now()
  let drawn = false
  return {
    show(what, share) {
      if (now() - shownAt < (stream.isTTY ? drawMs : lineMs)) return
      shownAt = now()
      const percent = share === undefined ? '' : `${String(Math.floor(share * 100)).padStart(3)} %  `
      drawn = stream.isTTY
      stream.write(drawn ? `\r\u001b[K${percent}${what}` : `${percent}${what} …\n`)
    },
    end() {
      if (drawn) stream.write('\r\u001b[K')
      drawn = false
    },
  }
}
