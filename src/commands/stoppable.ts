// Work that Ctrl+C stops in order: what was begun is undone before the process ends.
import { AppError } from '#core/errors.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Does work under a signal that Ctrl+C aborts with `words`. Asked twice, the process ends at once. */
export async function stoppable<T>(words: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(1)
    controller.abort(new AppError('interrupted', words))
  }
  for (const signal of stopSignals) process.on(signal, stop)
  try {
    return await work(controller.signal)
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error
  } finally {
    for (const signal of stopSignals) process.off(signal, stop)
  }
}
