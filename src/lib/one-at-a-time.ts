// Work in order by key: the tasks of one key run one after another, those of others beside them.

export type OneAtATime<Key> = <T>(key: Key, task: () => Promise<T>) => Promise<T>

export function createOneAtATime<Key = string>(): OneAtATime<Key> {
  const last = new Map<Key, Promise<void>>()
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
