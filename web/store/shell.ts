// The frame of the page: the folded sidebar, the menu sheet, the theme.
import { signal } from '@preact/signals'

const foldedKey = 'atrium.folded'
const themeKey = 'atrium.theme'

export type Theme = 'system' | 'light' | 'dark'

export const menuOpen = signal(false)
export const folded = signal(read(foldedKey) === '1')
export const theme = signal<Theme>(asTheme(read(themeKey)))

export function fold(value: boolean): void {
  folded.value = value
  write(foldedKey, value ? '1' : '')
}

export function setTheme(value: Theme): void {
  theme.value = value
  write(themeKey, value)
  applyTheme()
}

/** Sets `data-theme` on the root element, which the colour tokens follow. */
export function applyTheme(): void {
  if (theme.value === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.setAttribute('data-theme', theme.value)
}

function asTheme(value: string | null): Theme {
  return value === 'light' || value === 'dark' ? value : 'system'
}

/** Storage may be blocked: the choice then lasts as long as the page. */
function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // See `read`.
  }
}
