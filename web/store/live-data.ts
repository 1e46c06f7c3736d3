// Data that a page reloads by itself.
import { effect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { gates } from './gates.ts'
import type { Readable } from './loaded.ts'
import { threadList } from './threads.ts'

/** Changes come in bursts: one load per burst. */
const batchMs = 500
/** For changes that come without a frame, such as a cost that grows. */
const pollMs = 5_000

/** Loads data now, after every change of the threads or gates, and every `pollMs`, as long as the page is shown. */
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
