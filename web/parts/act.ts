// What a button or a form does at the service: that it is under way, and in words what went wrong.
import { type Signal, useSignal } from '@preact/signals'
import { faultText } from '../api/client.ts'

export type Act = {
  readonly busy: Signal<boolean>
  readonly fault: Signal<string | undefined>
  /** Never throws: a fault is told by the signal. While one is under way, there is no second. */
  readonly run: (work: () => Promise<void>) => Promise<void>
}

export function useAct(): Act {
  const busy = useSignal(false)
  const fault = useSignal<string | undefined>(undefined)
  return {
    busy,
    fault,
    async run(work) {
      if (busy.value) return
      busy.value = true
      fault.value = undefined
      try {
        await work()
      } catch (error) {
        fault.value = faultText(error)
      } finally {
        busy.value = false
      }
    },
  }
}
