// The store of this home for the time of one command, beside a running service or without one.
import { loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import type { Store, ToolRecord } from '#core/store.ts'
import { openHomeStore } from '#app/open-storage.ts'

/** Opens the store, works, and closes it whatever comes of the work. */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const { store } = await openHomeStore(loadConfig())
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Throws not_found with the command that lists what there is. */
export async function findTool(store: Store, name: string): Promise<ToolRecord> {
  const tool = (await store.tools.list()).find((each) => each.name === name)
  if (!tool) throw noTool(name)
  return tool
}

export function noTool(name: string): AppError {
  return new AppError('not_found', `no tool is named ${name}: see \`atrium tool list\``)
}
