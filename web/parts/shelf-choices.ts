// Menu entries that pin, archive and export a thread.
import { faultText } from '../api/client.ts'
import { notify } from '../store/notices.ts'
import { shelveThread } from '../store/threads.ts'
import { focusSoon } from './focus.ts'
import type { Choice } from './menu.tsx'

type Shelved = { readonly id: string; readonly pinned?: boolean; readonly archived?: boolean }

export function shelfChoices({ id, pinned = false, archived = false }: Shelved): Choice[] {
  const shelve = (where: Parameters<typeof shelveThread>[1]): void => {
    shelveThread(id, where).then(
      // Its row has moved or left the list, with the focus.
      () => focusSoon(`.thread-row a[href="/threads/${id}"]`, '.thread-row a', '.threads input'),
      (error) => notify(`The thread was not changed. ${faultText(error)}`),
    )
  }
  const save = (format: string): void => location.assign(`/api/threads/${id}/export?format=${format}`)
  return [
    { label: pinned ? 'Unpin' : 'Pin', icon: 'pin', act: () => shelve({ pinned: !pinned }) },
    { label: archived ? 'Unarchive' : 'Archive', icon: 'archive', act: () => shelve({ archived: !archived }) },
    { label: 'Export', icon: 'download', act: () => save('markdown') },
    { label: 'Export as JSON', icon: 'download', act: () => save('json') },
  ]
}
