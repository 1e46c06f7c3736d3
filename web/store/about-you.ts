// The introduction of a new user: stores the answers, and whether this browser has asked.
import { signal } from '@preact/signals'
import { request } from '../api/client.ts'
import { readStored, writeStored } from './local-storage.ts'
import { ChangedMeanwhile, saveDocument } from './memory.ts'

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

/**
 * Writes the answers to USER.md, which is part of every prompt. The zone also becomes the user's own, which missions take.
 * It is stored first: the gateway refuses one that does not exist. Throws ApiFault, and an Error with the way out if
 * there is a USER.md already.
 */
export async function saveAboutYou(given: { readonly name: string; readonly zone: string }): Promise<void> {
  const [name, zone] = [given.name.trim(), given.zone.trim()]
  if (zone !== '') await request('PATCH', '/api/me', { body: { zone } })
  const lines = [name && `- Name: ${name}`, zone && `- Time zone: ${zone}`].filter(Boolean)
  if (lines.length === 0) return stopAsking()
  const content = `# About me\n\n${lines.join('\n')}\n`
  await saveDocument('USER.md', content, { at: undefined }).catch((error: unknown) => {
    if (!(error instanceof ChangedMeanwhile)) throw error
    throw new Error('Memory has a USER.md already. Change it there.', { cause: error })
  })
  stopAsking()
}
