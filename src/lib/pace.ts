// Yielding to the event loop during long work on the main thread. All tasks share a time budget for each turn of the loop:
// ten tasks with a budget each would block it ten times as long, and with one task in each turn the last of a hundred short
// tasks would wait a hundred turns.

/** The longest time without yielding: a user does not notice a token that is this late. */
const maxBlockMs = 10

/** A task that yielded. With `alone` its next step takes long and gets a turn of the loop to itself. */
type Waiting = { readonly resume: () => void; readonly alone: boolean }

// State of the module, as an exception: there is one event loop for all tasks.
const waiting: Waiting[] = []
/** When paced work began in this turn of the loop. */
let begun: number | undefined

/** Await it between the steps of a task: it yields once paced tasks have taken `maxBlockMs` of this turn. */
export function pace(): Promise<void> | undefined {
  const now = performance.now()
  if (begun !== undefined && now - begun >= maxBlockMs) return wait({ alone: false })
  schedule(now)
  return undefined
}

/** Waits for a turn of the loop without other paced tasks. For a step that takes long by itself. */
export function nextTurn(): Promise<void> {
  return wait({ alone: true })
}

/** Does work that is cut into slices, and yields to the event loop between them. */
export async function inPace<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    // Also before the first slice, and without a pause where none is due: of many tasks that begin at once, each counts.
    const turn = pace()
    if (turn) await turn
    const { done, value } = work.next()
    if (done) return value
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

/** Resumes the tasks that wait now. A task that yields again meanwhile goes on in the next turn. */
function goOn(): void {
  begun = waiting.length > 0 ? performance.now() : undefined
  if (begun === undefined) return
  setImmediate(goOn)
  resume(waiting.length, begun)
}

/** Resumes a task, then others while there is time. A tick queued by a microtask runs once the task waits again. */
function resume(count: number, since: number): void {
  const task = waiting.shift()
  task?.resume()
  if (count === 1 || task?.alone) return
  queueMicrotask(() => process.nextTick(resumeNext, count - 1, since))
}

function resumeNext(count: number, since: number): void {
  if (!waiting[0]?.alone && performance.now() - since < maxBlockMs) resume(count, since)
}
