// Layers over the page: the menu sheet, menus, popovers, an overlaid panel. Esc and Back close the topmost one.
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Closes what was opened last: by Esc, and by Back on Android. The browser's own dialogs have one each. */
declare const CloseWatcher: (new () => EventTarget & { destroy(): void }) | undefined

type Layer = { readonly close: () => void }

/** The open layers, the topmost last. Dialogs of the browser are none: they lie over all of them and close by themselves. */
const layers: Layer[] = []

/** Makes a component a layer while it is in the page, and `open`. */
export function useLayer(close: () => void, open = true): void {
  const latest = useRef(close)
  latest.current = close
  useLayoutEffect(() => {
    if (!open) return undefined
    const layer: Layer = { close: () => latest.current() }
    layers.push(layer)
    const unwatch = watch(layer)
    return () => {
      unwatch()
      layers.splice(layers.indexOf(layer), 1)
    }
  }, [open])
}

export function hasLayer(): boolean {
  return layers.length > 0
}

/** Closes what lies topmost, a dialog of the browser too; false when nothing is open. */
export function closeTopmost(): boolean {
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')].at(-1)
  const layer = layers.at(-1)
  if (dialog) dialog.close()
  else layer?.close()
  return dialog !== undefined || layer !== undefined
}

/** Watches for Esc, and for Back on Android. Other browsers tell of Esc alone, and of Back only once it has led elsewhere. */
function watch(layer: Layer): () => void {
  if (typeof CloseWatcher === 'function') {
    const watcher = new CloseWatcher()
    watcher.addEventListener('close', layer.close)
    return () => watcher.destroy()
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || layers.at(-1) !== layer) return
    if (!(event.target as Element).closest('dialog')) layer.close()
  }
  addEventListener('keydown', press)
  return () => removeEventListener('keydown', press)
}
