// Makes a thread of an exported JSON file.
import type { Thread } from '#doors/web/wire/thread.ts'
import { faultText, request } from '../api/client.ts'
import { go } from '../router.ts'
import { notify } from './notices.ts'
import { threadList } from './threads.ts'

const importMs = 60_000

/** Asks for the JSON of a thread, makes a thread of it, and opens that. */
export async function importThread(): Promise<void> {
  const file = await chooseFile()
  if (file) await importThreadFile(file)
}

/** Asks the reader for a file; undefined when none is chosen. */
function chooseFile(): Promise<File | undefined> {
  const picker = document.createElement('input')
  picker.type = 'file'
  picker.accept = 'application/json,.json'
  return new Promise((resolve) => {
    picker.addEventListener('change', () => resolve(picker.files?.[0]))
    picker.addEventListener('cancel', () => resolve(undefined))
    picker.click()
  })
}

/** Imports a file and opens its thread; a file that is none is told. */
async function importThreadFile(file: File): Promise<void> {
  try {
    const { id } = await request<Thread>('POST', '/api/threads/import', { body: file, deadlineMs: importMs })
    go(`/threads/${id}`)
    await threadList.load()
    notify(`${file.name} is imported`)
  } catch (error) {
    notify(`${file.name} was not imported. ${faultText(error)}`)
  }
}
