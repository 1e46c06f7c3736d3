// The models that can be chosen for a thread.
import { computed, signal } from '@preact/signals'
import type { ModelList } from '#doors/web/wire/model.ts'
import { request } from '../api/client.ts'
import { loaded } from './loaded.ts'
import { service } from './service.ts'
import { threadList } from './threads.ts'

/** With prices, for the operator. */
export const models = loaded(() => request<ModelList>('GET', '/api/models'))

/** The names of the models that can be chosen instead of the usual one. */
export const offeredModels = computed<readonly string[]>(() => service.data.value?.llm_offered ?? [])

/** True while the menu in the composer is open. */
export const modelMenuOpen = signal(false)

/** The model for the next new thread; undefined for the usual one. */
export const newThreadModel = signal<string | undefined>(undefined)

/** Chooses the model of a thread, or of the next new one; null is the usual model. Throws ApiFault. */
export async function chooseModelFor(threadId: string | undefined, model: string | null): Promise<void> {
  if (threadId === undefined) {
    newThreadModel.value = model ?? undefined
    return
  }
  await request('PATCH', `/api/threads/${threadId}`, { body: { model } })
  await threadList.load()
}

/** The name of a model without its provider: `qwen3` of `ollama/qwen3`. */
export function nameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}
