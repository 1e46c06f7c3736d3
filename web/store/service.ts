// The service's status: the model, the doors, the cost of today.
import type { ServiceStatus } from '#doors/web/wire/status.ts'
import { request } from '../api/client.ts'
import { loaded } from './loaded.ts'

const pollMs = 30_000

export const service = loaded(() => request<ServiceStatus>('GET', '/api/status'))

/** Reads the status now and every `pollMs`; returns the function that stops it. */
export function watchService(): () => void {
  void service.load()
  const timer = setInterval(() => void service.load(), pollMs)
  return () => clearInterval(timer)
}
