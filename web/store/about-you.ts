// Whether a new user was asked who they are, in this browser.
import { signal } from '@preact/signals'
import { readStored, writeStored } from './local-storage.ts'

const name = 'met'
const changes = signal(0)

/** True once the user has answered, or does not want to. */
export function met(): boolean {
  return changes.value >= 0 && readStored(name) !== undefined
}

export function stopAsking(): void {
  writeStored(name, '1')
  changes.value++
}
