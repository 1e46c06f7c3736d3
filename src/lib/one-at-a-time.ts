// Work in order by key: the tasks of one key run one after another, those of others beside them.

export type OneAtATime = <T>(key: string, task: () => Promise<T>) => Promise<T>

export function createOneAtATime(): OneAtATime {
  const last = new Map<string, Promise<void>>()
  return async (key, task) => {
    const before = last.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    last.set(key, promise)
    await before
    try {
      return await task()
    } finally {
      resolve()
      if (last.get(key) === promise) last.delete(key)
    }
  }
}
