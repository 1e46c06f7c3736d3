// How the work of a check grows with its text: told by comparing, never by a clock's figure.

const small = 2_000
const factor = 8
const rounds = 5
/** Work that is linear shows it in one of these tries, however busy the machine; other work in none. */
const tries = 4
const linear = 2

/** Work for eight times the text, as a multiple of eight times the work: some 1 where it is linear, some 8 where not. */
export function growth(work: (times: number) => void): number {
  work(small)
  let least = Number.POSITIVE_INFINITY
  for (let left = tries; left > 0 && least > linear; left--) {
    const few = fastest(() => work(small))
    const many = fastest(() => work(small * factor))
    least = Math.min(least, many / (few * factor))
  }
  return least
}

/** The best of some rounds in CPU time: what others do on the machine only ever adds. */
function fastest(run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, user + system)
  }
  return Math.max(best, 50)
}
