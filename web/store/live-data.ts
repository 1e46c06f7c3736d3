// Pages whose data moves by itself.
import { effect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { gates } from './gates.ts'
import type { Readable } from './loaded.ts'
import { threadList } from './threads.ts'

/** Changes come in bursts. */
const batchMs = 500
/** What no change tells of, a cost that grows. */
const pollMs = 5_000

/** Keeps something fresh while a page shows it: read at once, when the lists at the side changed, and every few seconds. */
export function useLive(data: Readable<unknown>): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        if (!document.hidden) void data.load()
      }, batchMs)
    }
    void data.load()
    const stop = effect(() => {
      void threadList.data.value
      void gates.data.value
      soon()
    })
    const poll = setInterval(soon, pollMs)
    document.addEventListener('visibilitychange', soon)
    return () => {
      stop()
      clearTimeout(timer)
      clearInterval(poll)
      document.removeEventListener('visibilitychange', soon)
    }
  }, [])
}
