// How the work of a check grows with its text: told by comparing, never by a clock's figure.

const small = 2_000
const factor = 8
const rounds = 5
/** Work that is linear shows it in one of these tries, however busy the machine; other work in none. */
const tries = 4
const linear = 2
/** Microseconds below which the clock of a process says nothing. */
const minCost = 50

/** Work for eight times the text, as a multiple of eight times the work: some 1 where it is linear, some 8 where not. */
export function growth(work: (times: number) => void): number {
  work(small)
  let least = Number.POSITIVE_INFINITY
  for (let left = tries; left > 0 && least > linear; left--) {
    const few = Math.min(...Array.from({ length: rounds }, () => costOf(() => work(small))))
    // One that is quick enough shows it.
    for (let round = 0; round < rounds && least > linear; round++) {
      least = Math.min(least, costOf(() => work(small * factor)) / (few * factor))
    }
  }
  return least
}

/** In CPU time: what others do on the machine only ever adds. */
function costOf(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return Math.max(user + system, minCost)
}
