// Yielding to the event loop during long work on the main thread. However many works there are at once, they share the time
// of a turn of the loop: ten that yielded each by itself would block it ten times as long, and with one in each turn the last
// of a hundred short works would wait a hundred turns.
/** The longest time without yielding: a user does not notice a token that is this late. */
const maxBlockMs = 10

/** A work that yielded. Before a step that takes long it wants a turn of the loop to itself. */
type Waiting = { readonly resume: () => void; readonly alone: boolean }

// State of the module, as an exception: there is one event loop for all works.
const waiting: Waiting[] = []
/** When paced work began in this turn of the loop. */
let begun: number | undefined

/** Await it between steps of some work: it yields once paced work has taken `maxBlockMs` of this turn. */
export function pace(): Promise<void> | undefined {
  const now = performance.now()
  if (begun !== undefined && now - begun >= maxBlockMs) return wait({ alone: false })
  schedule(now)
  return undefined
}

/** Waits for a turn of the loop that no other paced work has. For a step that takes long by itself. */
export function nextTurn(): Promise<void> {
  return wait({ alone: true })
}

/** Does work that is cut into slices, and yields to the event loop between them. */
export async function inPace<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await pace()
  }
}

function wait({ alone }: Pick<Waiting, 'alone'>): Promise<void> {
  schedule(performance.now())
  return new Promise((resume) => {
    waiting.push({ resume, alone })
  })
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
  const work = waiting.shift()
  work?.resume()
  if (count === 1 || work?.alone) return
  queueMicrotask(() => process.nextTick(resumeNext, count - 1, since))
}

function resumeNext(count: number, since: number): void {
  if (!waiting[0]?.alone && performance.now() - since < maxBlockMs) resume(count, since)
}
