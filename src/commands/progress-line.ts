// A line of progress on a terminal, drawn over itself. Without a terminal nothing is written.

const stepMs = 100

export interface Progress {
  /** `share` is left out while the total is unknown. */
  readonly show: (what: string, share?: number) => void
  /** Removes the line. */
  readonly end: () => void
}

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  let shownAt = Number.NEGATIVE_INFINITY
  let shown = false
  return {
    show(what, share) {
      if (!stream.isTTY || performance.now() - shownAt < stepMs) return
      shownAt = performance.now()
      shown = true
      const percent = share === undefined ? '' : `${String(Math.floor(share * 100)).padStart(3)} %  `
      stream.write(`\r\u001b[K${percent}${what}`)
    },
    end() {
      if (shown) stream.write('\r\u001b[K')
      shown = false
    },
  }
}
