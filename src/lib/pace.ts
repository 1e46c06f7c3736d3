// Yielding to the event loop during long work on the main thread. However many works there are at once, they share the time
// of a turn of the loop: ten that yielded each by itself would block it ten times as long, and with one in each turn the last
// of a hundred short works would wait a hundred turns.
/** The longest time without yielding: a user does not notice a token that is this late. */
const maxBlockMs = 10

// State of the module, as an exception: there is one event loop for all works.
const waiting: (() => void)[] = []
/** When paced work began in this turn of the loop. */
let begun: number | undefined

/** Await it between steps of some work: it yields once paced work has taken `maxBlockMs` of this turn. */
export function pace(): Promise<void> | undefined {
  const now = performance.now()
  if (begun !== undefined && now - begun >= maxBlockMs) return nextTurn()
  schedule(now)
  return undefined
}

/** Waits for the next turn of the loop that is free for paced work. For a step that takes long by itself. */
export function nextTurn(): Promise<void> {
  schedule(performance.now())
  return new Promise((resolve) => {
    waiting.push(resolve)
  })
}

/** Does work that is cut into slices, and yields to the event loop between them. */
export async function inPace<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await pace()
  }
}

function schedule(now: number): void {
  if (begun !== undefined) return
  begun = now
  setImmediate(goOn)
}

/** What waits again meanwhile goes on in the next turn. */
function goOn(): void {
  begun = waiting.length > 0 ? performance.now() : undefined
  if (begun === undefined) return
  setImmediate(goOn)
  resume(waiting.length, begun)
}

/** Resumes a work, and others while there is time. A tick that a microtask asks for comes once the work has gone as far as it can. */
function resume(count: number, since: number): void {
  waiting.shift()?.()
  queueMicrotask(() => {
    if (count > 1) process.nextTick(resumeNext, count - 1, since)
  })
}

function resumeNext(count: number, since: number): void {
  if (performance.now() - since < maxBlockMs) resume(count, since)
}
