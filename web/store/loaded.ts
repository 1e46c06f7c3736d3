// Data that a page asks for: not there yet, there, or failed. What was there stays while it is asked for again.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { faultText } from '../api/client.ts'

/** What a page needs of it. */
export type Readable<T> = Omit<Loaded<T>, 'data'> & { readonly data: ReadonlySignal<T | undefined> }

export type Loaded<T> = {
  readonly data: Signal<T | undefined>
  /** Why the last load failed. */
  readonly fault: Signal<string | undefined>
  readonly loading: Signal<boolean>
  /** Asks again; calls that overlap end with the answer to the last one. */
  load(): Promise<void>
}

export function loaded<T>(read: () => Promise<T>): Loaded<T> {
  const data = signal<T | undefined>(undefined)
  const fault = signal<string | undefined>(undefined)
  const loading = signal(false)
  let last = 0
  return {
    data,
    fault,
    loading,
    async load() {
      const mine = ++last
      loading.value = true
      try {
        const found = await read()
        if (mine !== last) return
        data.value = found
        fault.value = undefined
      } catch (error) {
        if (mine === last) fault.value = faultText(error)
      } finally {
        if (mine === last) loading.value = false
      }
    },
  }
}
