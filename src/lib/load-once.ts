// Loads something with its first use.

export interface Loaded<T> {
  (): Promise<T>
  /** The value, loaded or being loaded; undefined before the first use and after a failure. */
  begun(): Promise<T> | undefined
}

/** Calls `load` with the first use and shares its result. A load that failed is tried again by the next use. */
export function loadOnce<T>(load: () => Promise<T>): Loaded<T> {
  let loading: Promise<T> | undefined
  const use = (): Promise<T> => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return Object.assign(use, { begun: () => loading })
}
