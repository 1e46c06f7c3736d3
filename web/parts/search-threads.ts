// The way to the search of the sidebar.
import { fold, menuOpen } from '../store/shell.ts'
import { focusFirst } from './focus.ts'

const narrow = matchMedia('(width < 1100px)')

/** Moves the focus to the search of the sidebar, at once if it is visible: what is typed next is meant for it. */
export function searchThreads(): void {
  if (narrow.matches) menuOpen.value = true
  else fold(false)
  const search = '.threads .search input'
  if (!focusFirst(search)) requestAnimationFrame(() => focusFirst(search))
}
