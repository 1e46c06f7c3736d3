// Completion by Tab: commands and skills after a slash, files after an `@`. An offer only adds letters to what is
// typed. Shown above the composer; Up and Down choose, Esc hides the offers until something else is typed.
import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'
import { printable } from '#safety/printable.ts'
import { commands, commandWords } from './command-list.ts'
import type { Theme } from './theme.ts'

export type Offer = {
  readonly label: string
  /** A short description. */
  readonly about: string
  /** The letters that complete the typed text. */
  readonly rest: string
}

/** A file or folder whose name begins with what was typed. */
export type PathOffer = { readonly name: string; readonly rest: string; readonly folder: boolean }

const maxShown = 6
const maxPathOffers = 50

/** The commands and skills that a slash and the letters after it may become. The exact one comes first. */
export function slashOffers(text: string, skills: readonly string[]): readonly Offer[] {
  if (!/^\/[a-z0-9-]*$/.test(text)) return []
  const all: readonly (readonly [string, string])[] = [
    ...commands.map((name) => [name, commandWords[name]] as const),
    ...skills.map((name) => [`/${name}`, 'a skill'] as const),
  ]
  return all
    .filter(([name]) => name.startsWith(text))
    .toSorted(([one], [other]) => Number(other === text) - Number(one === text))
    .map(([label, about]) => ({ label, about, rest: `${label.slice(text.length)} ` }))
}

/** The path after the last `@`, as far as it is typed; undefined when the cursor is not after one. */
export function typedPath(before: string): string | undefined {
  return /(?:^|\s)@((?:[^\s\\]|\\.)*)$/.exec(before)?.[1]
}

export interface Offers {
  readonly list: readonly Offer[]
  readonly chosen: Offer | undefined
  /** True when the person moved the choice. */
  readonly picked: boolean
  /** Looks for offers for the text before the cursor. Call after each key. */
  look(text: string, before: string): void
  move(by: 1 | -1): void
  hide(): void
  render(width: number, rows: number): string[]
}

export type OffersParts = {
  readonly theme: Theme
  readonly skills: () => readonly string[]
  /** Names that begin with a typed path. */
  readonly listPaths: (written: string) => Promise<readonly PathOffer[]>
  readonly redraw: () => void
}

export function createOffers({ theme, skills, listPaths, redraw }: OffersParts): Offers {
  let seen = ''
  let slash = ''
  let paths: readonly Offer[] = []
  let hidden = false
  let at = 0
  let picked = false
  let asking = false

  /** The skills may arrive after the slash was typed, so the list is made when it is read. */
  function offered(): readonly Offer[] {
    return hidden ? [] : [...slashOffers(slash, skills()), ...paths]
  }

  /** One listing at a time; after a slow one, the path that is typed by then. */
  async function askPaths(): Promise<void> {
    if (asking) return
    asking = true
    for (let asked: string | undefined; asked !== seen; ) {
      asked = seen
      const path = typedPath(asked)
      const found = path === undefined ? [] : await listPaths(path).catch(() => [])
      if (asked === seen) paths = found.slice(0, maxPathOffers).map(offerOf)
    }
    asking = false
    redraw()
  }

  return {
    get list() {
      return offered()
    },
    get chosen() {
      return offered()[at]
    },
    get picked() {
      return picked
    },
    look(text, before) {
      if (before === seen) return
      seen = before
      slash = text === before ? text : ''
      paths = []
      hidden = false
      at = 0
      picked = false
      if (typedPath(before) !== undefined) void askPaths()
    },
    move(by) {
      at = Math.max(0, Math.min(offered().length - 1, at + by))
      picked = true
    },
    hide() {
      hidden = true
      picked = false
    },
    render(width, rows) {
      const list = offered()
      const room = Math.max(1, Math.min(maxShown, rows))
      if (list.length === 0) return []
      const from = Math.max(0, Math.min(at - room + 1, list.length - room))
      const shown = list.slice(from, from + room)
      const wide = Math.max(...shown.map(({ label }) => visibleWidth(label)))
      const more = list.length > room ? `  ${at + 1} of ${list.length}` : ''
      return [
        ...shown.map((offer) => {
          const label = offer.label + ' '.repeat(wide - visibleWidth(offer.label))
          const line = truncateToWidth(` ${label}  ${offer.about}`, Math.max(1, width - 1), '…', true)
          return offer === list[at] ? ` ${theme.chosen(line)}` : ` ${theme.dim(line)}`
        }),
        theme.dim(truncateToWidth(`  Tab completes  ↑↓ choose  Esc hides${more}`, width, '')),
      ]
    },
  }
}

function offerOf({ name, rest, folder }: PathOffer): Offer {
  return { label: printable(name), about: folder ? 'folder' : '', rest }
}
