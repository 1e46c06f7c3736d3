// What runs behind the page: the model, the doors, what was spent today.
import type { ServiceStatus } from '#doors/web/wire/status.ts'
import { ask } from '../api/client.ts'
import { loaded } from './loaded.ts'

const everyMs = 30_000

export const service = loaded(() => ask<ServiceStatus>('GET', '/api/status'))

/** Keeps it fresh while somebody is signed in; returns the way to stop. */
export function watchService(): () => void {
  void service.load()
  const timer = setInterval(() => void service.load(), everyMs)
  return () => clearInterval(timer)
}
