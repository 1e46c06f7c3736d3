// An asynchronous action of a button or a form: whether it runs, and what went wrong.
import { type Signal, useSignal } from '@preact/signals'
import { faultText } from '../api/client.ts'
import { notify } from '../store/notices.ts'

export type Act = {
  readonly busy: Signal<boolean>
  readonly fault: Signal<string | undefined>
  /**
   * Runs the work, one at a time: ignored while busy. Never throws. A fault goes to `fault`, or, if `failed` is given,
   * into a notice that begins with it.
   */
  readonly run: (work: () => Promise<void>, failed?: string) => Promise<void>
}

export function useAct(): Act {
  const busy = useSignal(false)
  const fault = useSignal<string | undefined>(undefined)
  return {
    busy,
    fault,
    async run(work, failed) {
      if (busy.value) return
      busy.value = true
      fault.value = undefined
      try {
        await work()
      } catch (error) {
        if (failed === undefined) fault.value = faultText(error)
        else notify(`${failed} ${faultText(error)}`)
      } finally {
        busy.value = false
      }
    },
  }
}
