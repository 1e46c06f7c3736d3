// Data read from the gateway, as signals: loading, loaded or failed. A reload keeps the old data until the new is there.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { faultText } from '../api/client.ts'

/** Loaded data that its reader cannot set. */
export type Readable<T> = Omit<Loaded<T>, 'data'> & { readonly data: ReadonlySignal<T | undefined> }

export type Loaded<T> = {
  readonly data: Signal<T | undefined>
  /** Why the last load failed. */
  readonly fault: Signal<string | undefined>
  readonly loading: Signal<boolean>
  /** Reads again. Of overlapping calls, the last one sets the data. Never throws. */
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
